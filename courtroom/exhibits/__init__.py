"""Exhibits: the parts of a submission that the judges of each criterion read.

`selection.lay_out` chooses them from snapshot, dossier and report, without a model: `requests` says
which places matter for each kind of check, `room` fills the room of a criterion in that order.
`places.read_places` reads what a judge asks for besides. Python is parsed in a confined child
(`outline`); files in other languages are cut into blocks by their indentation (`text_blocks`).
"""
