"""Tables, plots and pages, made from records alone."""
