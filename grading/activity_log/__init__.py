"""Log of a cohort: each Activity verb in a sentence."""
