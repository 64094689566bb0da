"""Django's settings: base, and the changes of local, production and test."""
