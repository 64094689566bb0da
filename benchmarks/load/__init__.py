"""Load of a course on the evening of its deadline: `python -m benchmarks.load`.

Options: [--students 200] [--ladder 50,100,200,400]; [--workers 4] [--slower 5] for workers on
machines of their own, in slow motion (slow_motion.py). The site is started as in production
(gunicorn, durable PostgreSQL, Valkey, one worker, the reconciler, the production settings). Virtual
students who are signed in submit within a minute, watch their audits as the page does, and read.
Sign-in, slow by design, is measured apart.
"""
