"""First page after sign-in: what is due, new, or needs attention."""
