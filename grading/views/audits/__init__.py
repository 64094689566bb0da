"""Pages of an audit, and of many at once."""
