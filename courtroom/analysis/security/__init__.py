"""Security of the audited project: dangerous calls, paths, clones and committed secrets."""
