"""What counts for students: marks, releases, appeals, agreement, exports."""
