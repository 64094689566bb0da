"""Pages of letters and webhooks."""
