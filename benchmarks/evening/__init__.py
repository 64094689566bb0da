"""The evening of a deadline by arithmetic, and by simulation of discrete events.

    python -m benchmarks.load --costs COSTS                    measures the costs of each step
    python -m benchmarks.load --ladder 50,100 --result LADDER  measures evenings
    python -m benchmarks.evening ladder [COSTS LADDER]         simulates these evenings
    python -m benchmarks.evening plan [COSTS]                  computes and simulates larger sites

COSTS and LADDER are those of docs/scale.md unless named. Nothing is fitted: what a request, an
audit and an email cost comes from COSTS, the rest (threads, pauses of polls, turns of the queue,
priorities) from the site's own settings.
"""

import os

import django

# The site's own settings of its queue and pages are read, which stand beside models.
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "auditor_site.settings.test")
django.setup()
