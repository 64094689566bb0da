"""JSON API under /api/v1/, with the same actions and permissions as the pages."""
