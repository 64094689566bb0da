"""The Django app `grading`: tenants, cohorts, rubrics, submissions and the audits made of them."""

from django.apps import AppConfig


class GradingConfig(AppConfig):
    name = "grading"
    verbose_name = "Grading"

    def ready(self) -> None:
        from grading.actions.people import membership

        membership.link_on_login()
