"""Exhibits: the parts of a submission that the judges of each criterion read.

`selection.lay_out` chooses them from snapshot, dossier and report, without a model: `requests` asks
for the places of a criterion in their order, by the subjects of its kinds of checks
(`*_subjects`), and `room` fills the criterion's room with them.
`places.read_places` reads the further places that a judge names. Python is parsed in a confined child
(`outline`); files in other languages are cut into blocks by their indentation (`text_blocks`).
"""
