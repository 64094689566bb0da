"""A course on the evening of its deadline: `python -m benchmarks.load [--students 200] [--ladder
50,100,200,400]`.

The site is started as in production (gunicorn, PostgreSQL with its durability, Valkey, one worker,
the reconciler, the production settings). Virtual students who are signed in hand in within a
minute, watch their audits as the page itself does, and read. Sign-in, slow by design, is measured
apart.
"""
