"""Who belongs where, in which role, and which programs act for them."""
