"""Admin pages that import, export and duplicate rubrics."""
