"""Organizations, cohorts, rosters, assignments, and a cohort's archive and deletion."""
