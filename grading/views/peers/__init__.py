"""Pages of the MinMax loop."""
