"""Claims of the PDF report: ranked passages, terms, claimed features and named files."""
