"""Communication log of a student, also under a pairing."""
