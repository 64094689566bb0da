"""Pages of organizations, cohorts, assignments, and rubrics tried on them."""
