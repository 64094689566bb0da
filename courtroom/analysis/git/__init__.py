"""git on hostile ground: which addresses are fetched, the clone, and every question to git."""
