"""A discussion of the staff on a submission, which its students never see."""
