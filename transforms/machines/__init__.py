"""What executes operations, writes them down, or emits them as code."""
