"""Later due dates, more attempts and no late mark, for a student or a group."""
