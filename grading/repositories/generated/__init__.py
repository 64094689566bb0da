"""Students' repositories that the site makes at GitHub of an instructor's template."""
