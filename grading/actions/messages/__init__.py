"""What leaves the site: letters and webhooks, through one outbox."""
