"""People of a cohort: join link, roster, single students, and their pages as staff see them."""
