"""WSGI entry point. Production by default: only `manage.py` and `make` choose local settings."""

import atexit
import os

from django.core.wsgi import get_wsgi_application

from auditor_site.start import set_up

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "auditor_site.settings.production")
set_up()
application = get_wsgi_application()

# Needs the settings. Each of gunicorn's processes imports this module after its fork.
from grading.engine.tracing import start_export  # noqa: E402

atexit.register(start_export())
