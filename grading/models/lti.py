"""Learning platforms (LTI 1.3): their registrations, and what they call our people, courses and work.

Registration -> deployments, keys, accounts, launches
             -> contexts (courses there) -> course links (to cohorts) -> members
                                         -> resource links, line items -> scores
"""

from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Q

from grading.core.enums import LaunchKind, LineItemOrigin, Role, ScoreState
from grading.models.cohort import Cohort, Enrollment
from grading.models.submission import Assignment
from grading.models.tenant import TenantModel, TenantPart

# Longest ids that LTI 1.3 allows, and addresses as long as those of webhooks.
LONGEST_ID, LONGEST_ADDRESS = 255, 500


class LtiRegistration(TenantModel):
    """Learning platform that an organization registered.

    `key` is in all our addresses for this platform, and so a request finds its organization before
    any scope is entered. The platform's own names are empty until it is completed, by hand or by
    dynamic registration; `setup_sha256` is the digest of the secret that allows the latter once,
    until `setup_until`. `teacher_role` is what a teacher there becomes here, "" for nothing.
    `audience` is that of our requests for access tokens, if it is not `token_url`.
    """

    key = models.UUIDField(default=uuid4, unique=True, editable=False)
    name = models.CharField(max_length=120)
    # As the platform names itself: moodle, canvas, ...
    family = models.CharField(max_length=40, blank=True, editable=False)
    issuer = models.CharField(max_length=LONGEST_ADDRESS, blank=True)
    client_id = models.CharField(max_length=LONGEST_ID, blank=True)
    login_url = models.CharField(max_length=LONGEST_ADDRESS, blank=True)
    token_url = models.CharField(max_length=LONGEST_ADDRESS, blank=True)
    jwks_url = models.CharField(max_length=LONGEST_ADDRESS, blank=True)
    audience = models.CharField(max_length=LONGEST_ADDRESS, blank=True)
    teacher_role = models.CharField(
        max_length=12,
        choices=[(Role.INSTRUCTOR, "Instructor"), (Role.ASSISTANT, "Assistant"), ("", "Nothing")],
        blank=True,
    )
    active = models.BooleanField(default=True)
    setup_sha256 = models.CharField(max_length=64, blank=True, editable=False)
    setup_until = models.DateTimeField(null=True, blank=True, editable=False)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name", "pk"]
        verbose_name = "LTI registration"
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "issuer", "client_id"],
                condition=~Q(issuer=""),
                name="lti_client_once",
            ),
            models.CheckConstraint(
                condition=Q(issuer="", client_id="", login_url="", token_url="", jwks_url="")
                | ~Q(issuer="")
                & ~Q(client_id="")
                & ~Q(login_url="")
                & ~Q(token_url="")
                & ~Q(jwks_url=""),
                name="lti_registration_complete_or_empty",
            ),
            models.CheckConstraint(
                condition=Q(teacher_role__in=("", Role.INSTRUCTOR, Role.ASSISTANT)),
                name="lti_teacher_role_known",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_complete(self) -> bool:
        """Whether the platform's own names and addresses are known."""
        return bool(self.issuer)


class LtiDeployment(TenantPart):
    """Installation of the site in a platform; launches of others are refused."""

    registration = models.ForeignKey(
        LtiRegistration, on_delete=models.CASCADE, related_name="deployments"
    )
    deployment_id = models.CharField(max_length=LONGEST_ID)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        verbose_name = "LTI deployment"
        constraints = [
            models.UniqueConstraint(
                fields=["registration", "deployment_id"], name="lti_deployment_once"
            )
        ]

    def __str__(self) -> str:
        return self.deployment_id


class LtiKey(TenantPart):
    """Key pair with which the site signs messages to a platform.

    The public half is published from the start, the private one signs from `signs_from` on, until
    a newer key does. It is published until `published_until`, so that the platform can check what
    was signed before.
    """

    registration = models.ForeignKey(LtiRegistration, on_delete=models.CASCADE, related_name="keys")
    kid = models.UUIDField(default=uuid4, unique=True, editable=False)
    sealed_private = models.TextField(editable=False)
    # A JSON Web Key, without `kid`.
    public_jwk = models.JSONField(editable=False)
    signs_from = models.DateTimeField(editable=False)
    published_until = models.DateTimeField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-signs_from", "-pk"]
        verbose_name = "LTI key"

    def __str__(self) -> str:
        return str(self.kid)


class LtiAccount(TenantPart):
    """Person of a platform and their account here, which they agreed to connect until `ended_at`.

    One person of a platform for each account: a grade goes to one person there. An ended row stays:
    who was connected before gets no role of staff by coming again.
    """

    registration = models.ForeignKey(
        LtiRegistration, on_delete=models.CASCADE, related_name="accounts"
    )
    subject = models.CharField(max_length=LONGEST_ID)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="lti_accounts"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        verbose_name = "LTI account"
        constraints = [
            models.UniqueConstraint(fields=["registration", "subject"], name="lti_subject_once"),
            models.UniqueConstraint(
                fields=["registration", "user"],
                condition=Q(ended_at=None),
                name="lti_user_once",
            ),
        ]

    def __str__(self) -> str:
        return self.subject


class LtiContext(TenantPart):
    """Course of a platform, as its launches name it.

    `memberships_url` (Names and Roles) and `lineitems_url` (gradebook) are those of the latest
    launch, with the scopes that the platform grants for the latter.
    """

    registration = models.ForeignKey(
        LtiRegistration, on_delete=models.CASCADE, related_name="contexts"
    )
    deployment = models.ForeignKey(LtiDeployment, on_delete=models.CASCADE, related_name="contexts")
    context_id = models.CharField(max_length=LONGEST_ID)
    title = models.CharField(max_length=200, blank=True)
    label = models.CharField(max_length=120, blank=True)
    memberships_url = models.CharField(max_length=LONGEST_ADDRESS, blank=True)
    lineitems_url = models.CharField(max_length=LONGEST_ADDRESS, blank=True)
    grade_scopes = models.JSONField(default=list, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["title", "pk"]
        verbose_name = "LTI context"
        constraints = [
            models.UniqueConstraint(fields=["deployment", "context_id"], name="lti_context_once")
        ]

    def __str__(self) -> str:
        return self.title or self.label or self.context_id


class LtiCourseLink(TenantPart):
    """Course of a platform that belongs to a cohort; several to one, and one to several.

    `roster_at` is the time of the last import of its members, and `roster_error` says why a later
    one failed. `roster_next_at` is the next of its own, null where it is imported by click alone.
    `sends_grades` says that releases go to its gradebook by themselves.
    """

    context = models.ForeignKey(LtiContext, on_delete=models.CASCADE, related_name="course_links")
    cohort = models.ForeignKey(Cohort, on_delete=models.CASCADE, related_name="lti_links")
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    roster_at = models.DateTimeField(null=True, blank=True)
    roster_next_at = models.DateTimeField(null=True, blank=True)
    roster_error = models.CharField(max_length=500, blank=True)
    sends_grades = models.BooleanField(default=True)

    class Meta:
        ordering = ["pk"]
        verbose_name = "LTI course link"
        constraints = [
            models.UniqueConstraint(fields=["context", "cohort"], name="lti_course_linked_once")
        ]

    def __str__(self) -> str:
        return f"{self.context} is {self.cohort}"


class LtiMember(TenantPart):
    """Person on a platform's list of a linked course, and their place on our roster, if any.

    Who has left there keeps the row with `left_at`. `roles` are those that the platform names.
    """

    course_link = models.ForeignKey(LtiCourseLink, on_delete=models.CASCADE, related_name="members")
    subject = models.CharField(max_length=LONGEST_ID)
    enrollment = models.ForeignKey(
        Enrollment, on_delete=models.CASCADE, null=True, blank=True, related_name="lti_members"
    )
    name = models.CharField(max_length=200, blank=True)
    email = models.EmailField(max_length=254, blank=True)
    roles = models.JSONField(default=list, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    left_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["name", "pk"]
        verbose_name = "LTI member"
        constraints = [
            models.UniqueConstraint(fields=["course_link", "subject"], name="lti_member_once")
        ]

    def __str__(self) -> str:
        return self.name or self.subject


class LtiResourceLink(TenantPart):
    """Link in a course of a platform that opens an assignment.

    `lineitem_url` is its column in the gradebook there, if its launches name one.
    """

    context = models.ForeignKey(LtiContext, on_delete=models.CASCADE, related_name="resource_links")
    resource_link_id = models.CharField(max_length=LONGEST_ID)
    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="lti_links")
    title = models.CharField(max_length=200, blank=True)
    lineitem_url = models.CharField(max_length=LONGEST_ADDRESS, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        verbose_name = "LTI resource link"
        constraints = [
            models.UniqueConstraint(
                fields=["context", "resource_link_id"], name="lti_resource_link_once"
            )
        ]

    def __str__(self) -> str:
        return self.title or self.resource_link_id


class LtiLineItem(TenantPart):
    """Column of a platform's gradebook that gets the grades of an assignment, one for each course.

    `url` is empty until the column is found or made; `maximum` is as it was at `read_at`.
    """

    context = models.ForeignKey(LtiContext, on_delete=models.CASCADE, related_name="line_items")
    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="line_items")
    url = models.CharField(max_length=LONGEST_ADDRESS, blank=True)
    origin = models.CharField(max_length=8, choices=LineItemOrigin.choices)
    maximum = models.DecimalField(max_digits=8, decimal_places=2)
    read_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        verbose_name = "LTI line item"
        constraints = [
            models.UniqueConstraint(fields=["context", "assignment"], name="lti_line_item_once"),
            models.CheckConstraint(condition=Q(maximum__gt=0), name="lti_line_item_has_points"),
            models.CheckConstraint(
                condition=Q(origin__in=LineItemOrigin.values), name="lti_line_item_origin_known"
            ),
        ]

    def __str__(self) -> str:
        return self.url


class LtiScore(TenantPart):
    """Grade of one student for a column of a platform's gradebook, and what became of it.

    `points` are the last that were sent, null where nothing of ours can stand there, and `comment`
    the last that was accepted. `answer` holds the platform's words. `digest` is that of what was accepted, so that the same is not sent twice. `stamped_at` is
    the timestamp of the last message: a platform refuses one that is not later.
    """

    line_item = models.ForeignKey(LtiLineItem, on_delete=models.CASCADE, related_name="scores")
    student = models.ForeignKey(Enrollment, on_delete=models.CASCADE, related_name="lti_scores")
    points = models.DecimalField(max_digits=8, decimal_places=2, null=True, blank=True)
    comment = models.TextField(blank=True)
    digest = models.CharField(max_length=64, blank=True)
    state = models.CharField(max_length=10, choices=ScoreState.choices, default=ScoreState.WAITING)
    tries = models.PositiveSmallIntegerField(default=0)
    next_at = models.DateTimeField(null=True, blank=True)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    answer = models.CharField(max_length=500, blank=True)
    stamped_at = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        verbose_name = "LTI score"
        constraints = [
            models.UniqueConstraint(fields=["line_item", "student"], name="lti_score_once"),
            models.CheckConstraint(
                condition=Q(state__in=ScoreState.values), name="lti_score_state_known"
            ),
            models.CheckConstraint(
                condition=~Q(state=ScoreState.WAITING) | Q(next_at__isnull=False),
                name="lti_score_waits_for_a_time",
            ),
        ]
        indexes = [
            # Only waiting rows, which are few.
            models.Index(
                fields=["next_at"], condition=Q(state=ScoreState.WAITING), name="lti_score_waiting"
            )
        ]

    def __str__(self) -> str:
        return f"{self.student_id} in {self.line_item_id}"


class LtiLaunch(TenantPart):
    """One opening of the site from a platform: from the login to the page, or to its refusal.

    The login stores digests of the state and of the browser's cookie, and the nonce. The platform's
    message fills `claims` and `received_at`: a state is used once. Where it came without the cookie,
    `is_bound` is false, and the person confirms in the browser that it came from. `user` is who it
    let in, at `entered_at`. `refusal` is a code of LaunchRefused.

    A request to choose is answered with `assignment`, at `answered_at`. Where the platform shows it
    in a frame, that frame waits for the answer and knows the secret of `frame_sha256`.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    registration = models.ForeignKey(
        LtiRegistration, on_delete=models.CASCADE, related_name="launches"
    )
    # No salt is needed: both secrets are random and long.
    state_sha256 = models.CharField(max_length=64, unique=True, editable=False)
    browser_sha256 = models.CharField(max_length=64, editable=False)
    is_bound = models.BooleanField(default=True, editable=False)
    frame_sha256 = models.CharField(max_length=64, blank=True, editable=False)
    nonce = models.CharField(max_length=64, editable=False)
    target = models.CharField(max_length=2000)
    created_at = models.DateTimeField(auto_now_add=True)
    received_at = models.DateTimeField(null=True, blank=True)
    kind = models.CharField(max_length=12, choices=LaunchKind.choices, blank=True)
    # What the pages need of a verified message: LaunchClaims of grading/lti/claims.py as JSON.
    claims = models.JSONField(default=dict, blank=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    entered_at = models.DateTimeField(null=True, blank=True)
    assignment = models.ForeignKey(
        Assignment, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    answered_at = models.DateTimeField(null=True, blank=True)
    refusal = models.CharField(max_length=40, blank=True)
    # Of a refusal: what the administrator can use, such as the id of an unknown deployment.
    detail = models.CharField(max_length=LONGEST_ID, blank=True)

    class Meta:
        ordering = ["-created_at", "pk"]
        verbose_name = "LTI launch"
        verbose_name_plural = "LTI launches"
        indexes = [
            models.Index(fields=["registration", "-created_at"], name="lti_launch_newest"),
            models.Index(fields=["created_at"], name="lti_launch_old"),
            models.Index(
                fields=["frame_sha256"],
                condition=~Q(frame_sha256=""),
                name="lti_launch_in_frame",
            ),
        ]

    def __str__(self) -> str:
        return str(self.pk)
