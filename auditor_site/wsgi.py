"""WSGI entry point. Production by default: only `manage.py` and `make` choose local settings."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "auditor_site.settings.production")
application = get_wsgi_application()
