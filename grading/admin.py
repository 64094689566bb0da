"""Administration of the site: an organization's staff see their own rows, a superuser sees all of them."""

from grading.audits import admin as audits
from grading.courses import admin as courses
from grading.courses.organizations import admin as organizations
from grading.grades import admin as grades
from grading.lti import admin as lti
from grading.notifications import admin as notifications
from grading.peer_review import admin as peer_review
from grading.rubrics import admin as rubrics
from grading.submissions import admin as submissions

__all__ = [
    "audits",
    "courses",
    "grades",
    "lti",
    "notifications",
    "organizations",
    "peer_review",
    "rubrics",
    "submissions",
]
