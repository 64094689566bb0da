"""Grades, appeals, agreement and exports."""
