"""Comments on a criterion, a line or a page of a submission, drafts until their release, and the bank of comments."""
