"""Import of rubrics in any JSON layout; what cannot be used is named, line by line."""
