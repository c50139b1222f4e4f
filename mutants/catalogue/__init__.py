"""The mutants, by target: data, not machinery."""
