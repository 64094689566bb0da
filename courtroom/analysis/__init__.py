"""Analysis of untrusted bytes: git, Python, PDFs, diagrams, and everything derived from them.

Only this package reads what strangers wrote. Bytes are read in child processes (`sandbox/`) with
limits on address space, CPU time, file size, output and wall-clock time, in their own process group
and with a fresh environment; a child has no socket unless it clones, and runs in bubblewrap where
that works. Limits and their units are fields of `models.case.Limits`.

git gets an argument list, never a shell. The address was resolved, checked and pinned before; the
clone is bare and loses its remote. Python is parsed with `ast` and never run.

`survey.py` opens every source file once, in one child, for all facts and checks.
"""
