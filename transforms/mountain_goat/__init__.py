"""Mountain Goat, the matrix language: a second surface over the same terms, rules and reverse macro."""
