"""The languages, the rule table, the macros, the representations and the machines."""
