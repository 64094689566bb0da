"""Organizations, cohorts, assignments and rubrics, and what there is of them."""
