"""The Django app `grading`: tenants, cohorts, rubrics, submissions and the audits made of them."""

from django.apps import AppConfig


class GradingConfig(AppConfig):
    name = "grading"
    verbose_name = "Grading"

    def ready(self) -> None:
        from grading.core.allowed_job import forbid_pickle
        from grading.courses.organizations import sign_up

        forbid_pickle()
        sign_up.connect_signals()
