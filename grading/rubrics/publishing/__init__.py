"""Publication of a draft, and its use by assignments from then on."""
