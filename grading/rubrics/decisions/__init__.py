"""Decisions of a draft's rules on all 125 benches, beside other rules, as a table and as CSV."""
