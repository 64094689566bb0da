"""Front page of the administration: its lists in groups, each with a line on what it is for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib.admin import AdminSite
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.text import slugify

from grading.core.permissions import staffed_organizations


@dataclass(frozen=True, slots=True)
class Listed:
    """List of the administration by its model's label, with its purpose, and a plainer `name` if any.

    Teachers find the others on the site: the front page names theirs alone.
    """

    label: str
    purpose: str
    is_for_teachers: bool = False
    name: str = ""


GROUPS: dict[str, tuple[Listed, ...]] = {
    "People and institutions": (
        Listed("grading.Organization", "Approve or refuse an institution, change its name"),
        Listed("grading.Membership", "Members and their roles", is_for_teachers=True),
        Listed("grading.Invitation", "Invite colleagues, withdraw an offer", is_for_teachers=True),
        Listed("auth.User", "Deactivate an account, set a password, make an operator"),
        Listed("account.EmailAddress", "Addresses of accounts, and whether they are verified"),
        Listed(
            "mfa.Authenticator", "Delete those of somebody who lost theirs", name="Second factors"
        ),
        Listed("socialaccount.SocialAccount", "Accounts that sign in through another site"),
    ),
    "Courses and work": (
        Listed("grading.Cohort", "Name, dates and what their models cost"),
        Listed("grading.Enrollment", "Students of the courses"),
        Listed("grading.Assignment", "Dates and judges, with a link to the settings"),
        Listed("grading.Submission", "Repository, commit and time of each attempt"),
        Listed("grading.Audit", "State, failure and its sentence"),
        Listed("grading.BulkRun", "Runs that judge many students again"),
        Listed("grading.Grade", "Scores, flags and releases"),
        Listed("grading.Appeal", "Requests for another score, and decisions"),
        Listed(
            "grading.PairingRound",
            "When they run, and with how many peers",
            name="Peer review rounds",
        ),
        Listed("grading.FeedbackReport", "Who wrote about whom, and when", name="Peer reviews"),
        Listed(
            "grading.Complaint",
            "Peer reviews that students complained about",
            name="Reports of abuse",
        ),
    ),
    "Rubrics": (
        Listed("grading.Rubric", "Import, compare, export", is_for_teachers=True),
        Listed(
            "grading.RubricVersion",
            "Edit drafts and their rules, publish a version",
            is_for_teachers=True,
        ),
    ),
    "Models and budgets": (
        Listed(
            "grading.OrganizationBench",
            "Models, keys, base URL and budgets of institutions",
            name="Models of institutions",
        ),
        Listed("grading.ModelUsage", "Each paid answer with its tokens and cost"),
    ),
    "Learning platforms": (
        Listed("grading.LtiRegistration", "Registered ones, by institution", name="Platforms"),
        Listed("grading.LtiLaunch", "Who was refused, and why", name="Launches"),
        Listed("grading.LtiCourseLink", "Courses of cohorts, imports", name="Connected courses"),
        Listed("grading.LtiScore", "Sent, waiting or refused", name="Grades for gradebooks"),
    ),
    "Messages": (
        Listed("grading.Notice", "Sent, waiting or held back", name="Emails"),
        Listed("grading.Webhook", "Addresses that are notified of events"),
        Listed("grading.WebhookDelivery", "Deliveries to them, with tries and answers"),
    ),
    "System": (
        Listed("django_rq.Dashboard", "Queues, workers and failed jobs", name="Queues"),
        Listed("grading.Activity", "Log of all institutions: who did what", name="Log"),
    ),
}


class AdministrationSite(AdminSite):
    """Django's administration with the lists of GROUPS, and none beside them."""

    index_title = "Administration"
    index_template = "admin/front_page.html"

    def get_app_list(
        self, request: HttpRequest, app_label: str | None = None
    ) -> list[dict[str, Any]]:
        """Return the groups as Django's templates read apps, with the lists this user may open."""
        apps: Any = self._build_app_dict(request, app_label).values()
        rows = {
            f"{app['app_label']}.{row['object_name']}": row for app in apps for row in app["models"]
        }
        listed = [
            (heading, [_described(entry, rows, request) for entry in entries])
            for heading, entries in GROUPS.items()
        ]
        return [
            {
                "name": heading,
                "app_label": slugify(heading),
                "app_url": f"{reverse('admin:index', current_app=self.name)}#{slugify(heading)}",
                "has_module_perms": True,
                "models": shown,
            }
            for heading, described in listed
            if (shown := [row for row in described if row])
        ]

    def index(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> TemplateResponse:
        """Show the groups; to teachers also the pages of their institutions on the site."""
        is_operator = getattr(request.user, "is_superuser", False)
        own = [] if is_operator else staffed_organizations(request.user)
        return super().index(request, {"own": own, **(extra_context or {})})


def _described(
    entry: Listed, rows: dict[str, dict[str, Any]], request: HttpRequest
) -> dict[str, Any] | None:
    """Return Django's row of a list with its purpose; None for a reader who does not need it."""
    is_needed = entry.is_for_teachers or getattr(request.user, "is_superuser", False)
    row = rows.get(entry.label)
    if row is None or not is_needed:
        return None
    return {**row, "name": entry.name or row["name"], "purpose": entry.purpose}
