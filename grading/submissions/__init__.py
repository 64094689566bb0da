"""Submissions: the form, the look before submitting, the attempts, withdrawal."""
