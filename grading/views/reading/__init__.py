"""The report JSON as a person reads it: frozen values for the templates, nothing computed in HTML."""
