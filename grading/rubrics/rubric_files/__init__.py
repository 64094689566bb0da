"""Rubrics in and out of the site, and what lies between two versions of one: pages of the administration."""
