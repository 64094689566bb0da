"""What teachers set up: cohorts, rosters, assignments, rubrics, and their end."""
