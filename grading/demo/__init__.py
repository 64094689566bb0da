"""The demo cohort: students, repositories and reports made for this project."""
