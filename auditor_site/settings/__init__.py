"""Django's settings: base, and what local, production and test change in it."""
