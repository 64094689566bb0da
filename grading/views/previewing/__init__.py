"""How a preview is read: counts, criteria, people and pictures of what would change."""
