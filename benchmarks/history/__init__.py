"""A site with years of history, and what its pages cost then.

    python -m benchmarks.history make FOLDER [--audits 200000]
    python -m benchmarks.history sizes FOLDER
    python -m benchmarks.history pages FOLDER [--only WORD]
    python -m benchmarks.history compare FEW_FOLDER MANY_FOLDER
    python -m benchmarks.history explain FOLDER PAGE

`make` lets the site's own actions make one course, whose audits are real ones of the heuristic
bench, and copies its rows within PostgreSQL, until there are so many audits: in institutions of
very different sizes, over years. Amounts and contents are the same at each run, ids are not. The
database is one of its own, in FOLDER; 200,000 audits take about 20 GB.
"""
