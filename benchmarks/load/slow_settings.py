"""Settings of production for an evening in slow motion (slow_motion.py)."""

import os

from auditor_site.settings.production import *  # noqa: F403 -- with the changes below
from auditor_site.settings.production import DATABASES, PROBE_SECONDS

SLOWER = float(os.environ["LOAD_SLOWER"])
PROBE_SECONDS = round(PROBE_SECONDS * SLOWER)
DATABASES["default"]["CONN_MAX_AGE"] *= SLOWER
# PostgreSQL then says which process a connection serves. Each of gunicorn's reads this file itself.
DATABASES["default"].setdefault("OPTIONS", {})["application_name"] = str(os.getpid())
