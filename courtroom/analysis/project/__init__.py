"""What any project shows, in any language: files, tooling, pace, how its people worked together."""
