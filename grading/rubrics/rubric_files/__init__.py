"""Import, export and copies of rubrics."""
