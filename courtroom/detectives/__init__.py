"""Detectives: they answer the checks of a rubric with evidence.

`targeting.py` tells each detective which checks it owes. `evidence_aggregator.py` joins the three
results, cross-references the PDF with the repository (`cross_reference.py`, which needs both) and
verifies every quote against its path, lines and commit. A quote that does not match is dropped and
counted as an error. Evidence holds no score; absence is evidence too.

Facts about feedback and communication may come from the repository or from the site, which tells
`Case.exchange` in counts without names. Both may hold the same reports, so nothing is added up.
"""
