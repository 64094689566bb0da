"""The Django app `grading`: tenants, cohorts, rubrics, submissions and the audits made of them."""

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig

from grading.core import clock

# Before any model takes Django's clock as the default of a field: migrations name it too.
clock.use_everywhere()


class GradingConfig(AppConfig):
    name = "grading"
    verbose_name = "Grading"

    def ready(self) -> None:
        from grading.core import (
            deployment_checks,  # noqa: F401 -- registers its checks
            launch_sessions,
            view_as,
        )
        from grading.core.allowed_job import forbid_pickle
        from grading.courses.organizations import sign_up

        forbid_pickle()
        sign_up.connect_signals()
        view_as.connect_signals()
        launch_sessions.connect_signals()


class AdministrationConfig(AdminConfig):
    """Django's administration with this site's front page."""

    default_site = "grading.core.admin_site.AdministrationSite"
