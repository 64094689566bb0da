"""Steps that mend an unmet check: at the place of the change, in the names of the work."""
