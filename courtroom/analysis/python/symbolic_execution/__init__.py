"""Follows Python code without running it: the values of names, expressions, calls, statements."""
