"""Every table, with its constraints and indexes; a table comes after those it refers to."""

import django.core.validators
import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
import grading.models.submission
import uuid
from django.conf import settings
from django.db import migrations, models


class CreateTables(migrations.SeparateDatabaseAndState):
    """Create the models in the state at once, and then their tables.

    After each new model Django renders again all models that are connected with it. Without
    rendered models in the state it renders them once, when the first table asks for them.
    """

    def state_forwards(self, app_label, state):
        state.__dict__.pop("apps", None)
        super().state_forwards(app_label, state)

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        for operation in self.state_operations:
            operation.database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label, schema_editor, from_state, to_state):
        for operation in reversed(self.state_operations):
            operation.database_backwards(app_label, schema_editor, from_state, to_state)


MODELS = [
    migrations.CreateModel(
        name="Organization",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            ("name", models.CharField(max_length=120)),
            ("slug", models.SlugField(max_length=60, unique=True)),
            (
                "founder",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("approved_at", models.DateTimeField(blank=True, null=True, verbose_name="approved")),
            ("refused_at", models.DateTimeField(blank=True, null=True, verbose_name="refused")),
        ],
        options={
            "ordering": ["name", "pk"],
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(
                        ("approved_at", None), ("refused_at", None), _connector="OR"
                    ),
                    name="organization_approved_or_refused",
                )
            ],
        },
    ),
    migrations.CreateModel(
        name="Membership",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "user",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="memberships",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("email", models.EmailField(blank=True, editable=False, max_length=254)),
            (
                "role",
                models.CharField(
                    choices=[
                        ("owner", "Owner"),
                        ("instructor", "Instructor"),
                        ("assistant", "Assistant"),
                        ("student", "Student"),
                    ],
                    default="student",
                    max_length=12,
                ),
            ),
            ("created_at", models.DateTimeField(auto_now_add=True)),
        ],
        options={
            "ordering": ["pk"],
            "constraints": [
                models.UniqueConstraint(
                    fields=("organization", "user"), name="one_membership_per_user"
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        ("role__in", ["owner", "instructor", "assistant", "student"])
                    ),
                    name="membership_role_known",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="Rubric",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            ("name", models.CharField(max_length=200)),
            ("slug", models.SlugField(max_length=80)),
        ],
        options={
            "ordering": ["name", "pk"],
            "constraints": [
                models.UniqueConstraint(fields=("organization", "slug"), name="rubric_slug_once")
            ],
        },
    ),
    migrations.CreateModel(
        name="RubricVersion",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "rubric",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="versions",
                    to="grading.rubric",
                ),
            ),
            ("number", models.PositiveIntegerField()),
            (
                "state",
                models.CharField(
                    choices=[
                        ("draft", "Draft"),
                        ("published", "Published"),
                        ("superseded", "Superseded"),
                    ],
                    default="draft",
                    max_length=12,
                ),
            ),
            ("document", models.JSONField()),
            (
                "based_on",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.rubricversion",
                ),
            ),
            ("note", models.CharField(blank=True, max_length=300)),
            ("digest", models.CharField(blank=True, max_length=64)),
            ("published_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={
            "ordering": ["rubric", "-number"],
            "constraints": [
                models.UniqueConstraint(fields=("rubric", "number"), name="rubric_number_once"),
                models.UniqueConstraint(
                    condition=models.Q(("state", "published")),
                    fields=("rubric",),
                    name="one_published_version",
                ),
                models.CheckConstraint(
                    condition=models.Q(("state__in", ["draft", "published", "superseded"])),
                    name="rubric_state_known",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("digest", ""), ("published_at", None), ("state", "draft")),
                        models.Q(
                            models.Q(("state", "draft"), _negated=True),
                            models.Q(("digest", ""), _negated=True),
                            ("published_at__isnull", False),
                        ),
                        _connector="OR",
                    ),
                    name="published_rubric_is_sealed",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="Cohort",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            ("name", models.CharField(max_length=120)),
            ("slug", models.SlugField(max_length=60)),
            ("starts_on", models.DateField(blank=True, null=True)),
            ("ends_on", models.DateField(blank=True, null=True)),
            ("time_zone", models.CharField(default="UTC", max_length=64)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
        ],
        options={
            "ordering": ["-starts_on", "name", "pk"],
            "constraints": [
                models.UniqueConstraint(fields=("organization", "slug"), name="cohort_slug_once"),
                models.CheckConstraint(
                    condition=models.Q(("ends_on__gte", models.F("starts_on"))),
                    name="cohort_ends_after_start",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="Enrollment",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "cohort",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="enrollments",
                    to="grading.cohort",
                ),
            ),
            ("email", models.EmailField(max_length=254)),
            ("name", models.CharField(blank=True, max_length=200)),
            ("student_number", models.CharField(blank=True, max_length=64)),
            ("group", models.CharField(blank=True, max_length=60)),
            ("github_name", models.CharField(blank=True, max_length=39)),
            (
                "user",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="enrollments",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("created_at", models.DateTimeField(auto_now_add=True)),
        ],
        options={
            "ordering": ["name", "email"],
            "indexes": [
                models.Index(
                    django.db.models.functions.text.Lower("email"), name="enrollment_email"
                )
            ],
            "constraints": [
                models.UniqueConstraint(
                    models.F("cohort"),
                    django.db.models.functions.text.Lower("email"),
                    name="email_once_per_cohort",
                ),
                models.UniqueConstraint(fields=("cohort", "user"), name="user_once_per_cohort"),
            ],
        },
    ),
    migrations.CreateModel(
        name="Assignment",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "cohort",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="assignments",
                    to="grading.cohort",
                ),
            ),
            ("title", models.CharField(max_length=200)),
            ("slug", models.SlugField(max_length=60)),
            ("instructions", models.TextField(blank=True)),
            (
                "rubric_version",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="assignments",
                    to="grading.rubricversion",
                ),
            ),
            ("opens_at", models.DateTimeField(blank=True, null=True)),
            ("due_at", models.DateTimeField(blank=True, null=True)),
            (
                "late_policy",
                models.CharField(
                    choices=[
                        ("refuse", "Refuse after the due date"),
                        ("accept", "Accept and mark as late"),
                    ],
                    default="refuse",
                    max_length=8,
                ),
            ),
            ("max_attempts", models.PositiveSmallIntegerField(default=5)),
            (
                "counting_policy",
                models.CharField(
                    choices=[
                        ("latest", "The latest attempt with a verdict"),
                        ("best", "The attempt with the best score; of equal ones the latest"),
                        (
                            "chosen",
                            "The attempt that the student chooses; until then the latest with a verdict",
                        ),
                    ],
                    default="latest",
                    max_length=8,
                ),
            ),
            (
                "bench",
                models.CharField(
                    choices=[("heuristic", "Heuristic (no model)"), ("llm", "Language models")],
                    default="heuristic",
                    max_length=12,
                ),
            ),
            (
                "release_policy",
                models.CharField(
                    choices=[
                        ("provisional", "The whole report, marked as provisional"),
                        ("after_release", "Only that it was judged"),
                    ],
                    default="provisional",
                    max_length=14,
                ),
            ),
            ("appeal_days", models.PositiveSmallIntegerField(default=7)),
            ("max_appeals", models.PositiveSmallIntegerField(default=3)),
            (
                "team_formation",
                models.CharField(
                    choices=[
                        ("none", "No teams: each student submits alone"),
                        ("groups", "Teams from the groups on the roster"),
                        ("students", "Students form teams themselves"),
                        ("staff", "Staff form the teams"),
                    ],
                    default="none",
                    max_length=8,
                ),
            ),
            ("team_size_max", models.PositiveSmallIntegerField(default=3)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
        ],
        options={
            "ordering": ["due_at", "title", "pk"],
            "constraints": [
                models.UniqueConstraint(fields=("cohort", "slug"), name="assignment_slug_once"),
                models.CheckConstraint(
                    condition=models.Q(("due_at__gt", models.F("opens_at"))),
                    name="assignment_due_after_opening",
                ),
                models.CheckConstraint(
                    condition=models.Q(("max_attempts__gte", 1)),
                    name="assignment_allows_an_attempt",
                ),
                models.CheckConstraint(
                    condition=models.Q(("late_policy__in", ["refuse", "accept"])),
                    name="late_policy_known",
                ),
                models.CheckConstraint(
                    condition=models.Q(("counting_policy__in", ["latest", "best", "chosen"])),
                    name="counting_policy_known",
                ),
                models.CheckConstraint(
                    condition=models.Q(("bench__in", ["heuristic", "llm"])),
                    name="assignment_bench_known",
                ),
                models.CheckConstraint(
                    condition=models.Q(("release_policy__in", ["provisional", "after_release"])),
                    name="release_policy_known",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        ("team_formation__in", ["none", "groups", "students", "staff"])
                    ),
                    name="team_formation_known",
                ),
                models.CheckConstraint(
                    condition=models.Q(("team_size_max__gte", 1)), name="team_has_room"
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="Activity",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "actor",
                models.ForeignKey(
                    blank=True,
                    db_constraint=False,
                    null=True,
                    on_delete=django.db.models.deletion.DO_NOTHING,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            (
                "cohort",
                models.ForeignKey(
                    blank=True,
                    db_constraint=False,
                    null=True,
                    on_delete=django.db.models.deletion.DO_NOTHING,
                    related_name="+",
                    to="grading.cohort",
                ),
            ),
            ("verb", models.CharField(max_length=60)),
            ("object_type", models.CharField(max_length=40)),
            ("object_id", models.CharField(max_length=40)),
            ("detail", models.JSONField(default=dict)),
            ("at", models.DateTimeField(auto_now_add=True)),
        ],
        options={
            "verbose_name_plural": "activities",
            "ordering": ["-at", "-pk"],
            "indexes": [
                models.Index(fields=["organization", "-at"], name="activity_log"),
                models.Index(fields=["cohort", "-at"], name="activity_of_cohort"),
                models.Index(fields=["object_type", "object_id"], name="activity_of_object"),
            ],
        },
    ),
    migrations.CreateModel(
        name="ApiToken",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "user",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="api_tokens",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("name", models.CharField(max_length=80)),
            ("prefix", models.CharField(max_length=12)),
            ("sha256", models.CharField(max_length=64, unique=True)),
            ("scopes", models.JSONField(default=list)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("expires_at", models.DateTimeField()),
            ("last_used_at", models.DateTimeField(blank=True, null=True)),
            ("revoked_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={
            "ordering": ["-created_at", "-pk"],
        },
    ),
    migrations.CreateModel(
        name="BlindSample",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "assignment",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="blind_samples",
                    to="grading.assignment",
                ),
            ),
            ("seed", models.PositiveIntegerField()),
            ("submissions", models.JSONField()),
            (
                "drawn_by",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("drawn_at", models.DateTimeField(auto_now_add=True)),
        ],
        options={
            "ordering": ["-drawn_at", "-pk"],
        },
    ),
    migrations.CreateModel(
        name="BulkRun",
        fields=[
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "id",
                models.UUIDField(
                    default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                ),
            ),
            (
                "assignment",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="bulk_runs",
                    to="grading.assignment",
                ),
            ),
            (
                "verb",
                models.CharField(
                    choices=[
                        ("resynthesise", "Re-synthesise"),
                        ("rejudge", "Re-judge"),
                        ("reaudit", "Re-audit"),
                    ],
                    max_length=12,
                ),
            ),
            (
                "rubric_version",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.rubricversion",
                ),
            ),
            (
                "state",
                models.CharField(
                    choices=[("running", "Running"), ("done", "Done"), ("cancelled", "Cancelled")],
                    default="running",
                    max_length=10,
                ),
            ),
            ("total", models.PositiveIntegerField()),
            ("done", models.PositiveIntegerField(default=0)),
            ("failed", models.PositiveIntegerField(default=0)),
            ("changed", models.PositiveIntegerField(default=0)),
            (
                "estimate_usd",
                models.DecimalField(blank=True, decimal_places=8, max_digits=14, null=True),
            ),
            (
                "started_by",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("finished_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={
            "ordering": ["-created_at", "pk"],
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(("verb__in", ["resynthesise", "rejudge", "reaudit"])),
                    name="bulk_verb_known",
                ),
                models.CheckConstraint(
                    condition=models.Q(("state__in", ["running", "done", "cancelled"])),
                    name="bulk_state_known",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        ("changed__lte", models.F("done")),
                        ("done__lte", models.F("total")),
                        ("failed__lte", models.F("done")),
                    ),
                    name="bulk_counts_fit",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("finished_at", None), ("state", "running")),
                        models.Q(
                            models.Q(("state", "running"), _negated=True),
                            ("finished_at__isnull", False),
                        ),
                        _connector="OR",
                    ),
                    name="bulk_finished_has_a_time",
                ),
                models.UniqueConstraint(
                    condition=models.Q(("state", "running")),
                    fields=("assignment",),
                    name="one_bulk_run_at_a_time",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="Invitation",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            ("email", models.EmailField(max_length=254)),
            (
                "role",
                models.CharField(
                    choices=[
                        ("owner", "Owner"),
                        ("instructor", "Instructor"),
                        ("assistant", "Assistant"),
                        ("student", "Student"),
                    ],
                    default="student",
                    max_length=12,
                ),
            ),
            (
                "state",
                models.CharField(
                    choices=[
                        ("invited", "Invited"),
                        ("accepted", "Accepted"),
                        ("declined", "Declined"),
                        ("left", "Left"),
                        ("revoked", "Withdrawn"),
                    ],
                    default="invited",
                    editable=False,
                    max_length=8,
                ),
            ),
            (
                "user",
                models.ForeignKey(
                    blank=True,
                    editable=False,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            (
                "invited_by",
                models.ForeignKey(
                    blank=True,
                    editable=False,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("answered_at", models.DateTimeField(blank=True, editable=False, null=True)),
        ],
        options={
            "ordering": ["email"],
            "indexes": [models.Index(fields=["email"], name="invitation_email")],
            "constraints": [
                models.UniqueConstraint(
                    fields=("organization", "email"), name="one_invitation_per_address"
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        ("role__in", ["owner", "instructor", "assistant", "student"])
                    ),
                    name="invitation_role_known",
                ),
                models.CheckConstraint(
                    condition=models.Q(("email", django.db.models.functions.text.Lower("email"))),
                    name="invitation_lower_case",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        ("state__in", ("invited", "revoked")),
                        models.Q(
                            ("answered_at__isnull", False),
                            ("state__in", ("accepted", "declined", "left")),
                        ),
                        _connector="OR",
                    ),
                    name="invitation_answer_has_a_time",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="Notice",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "user",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            (
                "invitation",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="letters",
                    to="grading.invitation",
                ),
            ),
            ("address", models.EmailField(blank=True, max_length=254)),
            (
                "kind",
                models.CharField(
                    choices=[
                        ("released", "One of my grades was released or changed"),
                        ("appeal_answered", "One of my appeals was answered"),
                        ("audit_failed", "One of my audits failed"),
                        ("report_received", "I received a peer report on my work"),
                        ("peer_reminder", "I have a peer report or an answer due"),
                        ("handed_in", "One of my submissions was received"),
                        (
                            "complaint",
                            "A report was reported as abusive, or my complaint was decided",
                        ),
                        ("approval", "An organization asks for approval, or mine was answered"),
                        ("invitation", "An organization invited me"),
                        ("mentioned", "A colleague mentioned me in a staff note"),
                        ("appeal_assigned", "An appeal was handed to me"),
                        ("due_soon", "An assignment is due soon and I have not handed in"),
                        ("extension", "I was given an extension, or one ended"),
                        ("staff_daily", "Every day, how much work waits for staff"),
                        ("digest", "My emails of the day in one"),
                    ],
                    max_length=16,
                ),
            ),
            ("subject", models.CharField(max_length=200)),
            ("body", models.TextField()),
            ("path", models.CharField(max_length=500)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("sent_at", models.DateTimeField(blank=True, null=True)),
            ("tries", models.PositiveSmallIntegerField(default=0)),
            ("tried_at", models.DateTimeField(blank=True, null=True)),
            ("held_at", models.DateTimeField(blank=True, null=True)),
            ("digest_after", models.DateTimeField(blank=True, null=True)),
            (
                "digest",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="carried",
                    to="grading.notice",
                ),
            ),
        ],
        options={
            "ordering": ["pk"],
            "indexes": [
                models.Index(
                    condition=models.Q(("held_at", None), ("sent_at", None)),
                    fields=["created_at"],
                    name="notice_unsent",
                ),
                models.Index(fields=["organization", "tried_at"], name="notice_tried"),
                models.Index(
                    condition=models.Q(("address", ""), _negated=True),
                    fields=["address"],
                    name="notice_address",
                ),
                models.Index(
                    condition=models.Q(("held_at__isnull", False)),
                    fields=["organization", "held_at"],
                    name="notice_held",
                ),
            ],
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(
                        (
                            "kind__in",
                            [
                                "released",
                                "appeal_answered",
                                "audit_failed",
                                "report_received",
                                "peer_reminder",
                                "handed_in",
                                "complaint",
                                "approval",
                                "invitation",
                                "mentioned",
                                "appeal_assigned",
                                "due_soon",
                                "extension",
                                "staff_daily",
                                "digest",
                            ],
                        )
                    ),
                    name="notice_kind_known",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(
                            ("invitation__isnull", False), ("kind", "invitation"), ("user", None)
                        ),
                        models.Q(("address", ""), ("invitation", None), ("user__isnull", False)),
                        _connector="OR",
                    ),
                    name="notice_has_one_recipient",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        ("digest_after", None),
                        (
                            "kind__in",
                            [
                                "released",
                                "appeal_answered",
                                "report_received",
                                "peer_reminder",
                                "handed_in",
                                "complaint",
                                "mentioned",
                                "appeal_assigned",
                            ],
                        ),
                        _connector="OR",
                    ),
                    name="notice_of_this_kind_may_wait",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="NoticeOptOut",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "user",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            (
                "kind",
                models.CharField(
                    choices=[
                        ("released", "One of my grades was released or changed"),
                        ("appeal_answered", "One of my appeals was answered"),
                        ("audit_failed", "One of my audits failed"),
                        ("report_received", "I received a peer report on my work"),
                        ("peer_reminder", "I have a peer report or an answer due"),
                        ("handed_in", "One of my submissions was received"),
                        (
                            "complaint",
                            "A report was reported as abusive, or my complaint was decided",
                        ),
                        ("approval", "An organization asks for approval, or mine was answered"),
                        ("invitation", "An organization invited me"),
                        ("mentioned", "A colleague mentioned me in a staff note"),
                        ("appeal_assigned", "An appeal was handed to me"),
                        ("due_soon", "An assignment is due soon and I have not handed in"),
                        ("extension", "I was given an extension, or one ended"),
                        ("staff_daily", "Every day, how much work waits for staff"),
                        ("digest", "My emails of the day in one"),
                    ],
                    max_length=16,
                ),
            ),
        ],
        options={
            "ordering": ["pk"],
            "constraints": [
                models.UniqueConstraint(
                    fields=("organization", "user", "kind"), name="opted_out_once"
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        (
                            "kind__in",
                            [
                                "released",
                                "appeal_answered",
                                "audit_failed",
                                "report_received",
                                "peer_reminder",
                                "handed_in",
                                "complaint",
                                "approval",
                                "invitation",
                                "mentioned",
                                "appeal_assigned",
                                "due_soon",
                                "extension",
                                "staff_daily",
                                "digest",
                            ],
                        )
                    ),
                    name="opt_out_kind_known",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="Opening",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "student",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="+",
                    to="grading.enrollment",
                ),
            ),
            (
                "kind",
                models.CharField(
                    choices=[
                        ("report", "The report on an attempt"),
                        ("appeal", "The answer to an appeal"),
                        ("answers", "The answers to a report on a peer"),
                        ("comments", "The comments on an attempt"),
                    ],
                    max_length=8,
                ),
            ),
            ("about", models.CharField(max_length=36)),
            ("opened_at", models.DateTimeField()),
        ],
        options={
            "ordering": ["pk"],
            "constraints": [
                models.UniqueConstraint(
                    fields=("student", "kind", "about"), name="opened_last_once"
                ),
                models.CheckConstraint(
                    condition=models.Q(("kind__in", ["report", "appeal", "answers", "comments"])),
                    name="opening_kind_known",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="OrganizationBench",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            ("prosecutor_model", models.CharField(blank=True, max_length=200)),
            ("defense_model", models.CharField(blank=True, max_length=200)),
            ("tech_lead_model", models.CharField(blank=True, max_length=200)),
            (
                "base_url",
                models.CharField(
                    blank=True,
                    max_length=200,
                    validators=[django.core.validators.URLValidator(schemes=["https", "http"])],
                    verbose_name="base URL",
                ),
            ),
            ("provider", models.CharField(default="openai", max_length=30)),
            (
                "provider_url",
                models.CharField(
                    blank=True, max_length=200, verbose_name="address of the provider"
                ),
            ),
            ("sealed_key", models.TextField(blank=True, editable=False)),
            (
                "batch",
                models.CharField(
                    choices=[
                        ("per_criterion", "One call per judge and criterion"),
                        ("per_judge", "One call per judge for all criteria"),
                    ],
                    default="per_criterion",
                    max_length=13,
                ),
            ),
            ("debate", models.BooleanField(default=False)),
            (
                "audit_budget_usd",
                models.DecimalField(
                    blank=True,
                    decimal_places=4,
                    max_digits=10,
                    null=True,
                    validators=[django.core.validators.MinValueValidator(0)],
                ),
            ),
            (
                "monthly_budget_usd",
                models.DecimalField(
                    blank=True,
                    decimal_places=4,
                    max_digits=12,
                    null=True,
                    validators=[django.core.validators.MinValueValidator(0)],
                ),
            ),
            ("changed_at", models.DateTimeField(auto_now=True)),
        ],
        options={
            "verbose_name_plural": "organization benches",
            "ordering": ["pk"],
            "constraints": [
                models.UniqueConstraint(
                    fields=("organization",), name="one_bench_per_organization"
                ),
                models.CheckConstraint(
                    condition=models.Q(("batch__in", ["per_criterion", "per_judge"])),
                    name="bench_batch_known",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        ("monthly_budget_usd__isnull", True),
                        ("audit_budget_usd__isnull", False),
                        _connector="OR",
                    ),
                    name="bench_month_needs_audit_budget",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="PairingRound",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "assignment",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="rounds",
                    to="grading.assignment",
                ),
            ),
            ("number", models.PositiveSmallIntegerField()),
            ("peers", models.PositiveSmallIntegerField(default=2)),
            (
                "anonymity",
                models.CharField(
                    choices=[
                        ("open", "Open: both students know each other"),
                        ("single_blind", "Single-blind: auditees don't know their auditors"),
                        ("double_blind", "Double-blind: neither student knows the other"),
                    ],
                    default="double_blind",
                    max_length=14,
                ),
            ),
            (
                "rubric_version",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.rubricversion",
                ),
            ),
            ("starts_at", models.DateTimeField()),
            ("ends_at", models.DateTimeField()),
            ("seed", models.CharField(max_length=64)),
            ("reminders_checked_at", models.DateTimeField(blank=True, null=True)),
            (
                "created_by",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("created_at", models.DateTimeField(auto_now_add=True)),
        ],
        options={
            "ordering": ["assignment", "number"],
            "constraints": [
                models.UniqueConstraint(fields=("assignment", "number"), name="round_number_once"),
                models.CheckConstraint(
                    condition=models.Q(("peers__gte", 1), ("peers__lte", 5)),
                    name="round_of_1_to_5_peers",
                ),
                models.CheckConstraint(
                    condition=models.Q(("ends_at__gt", models.F("starts_at"))),
                    name="round_ends_after_start",
                ),
                models.CheckConstraint(
                    condition=models.Q(("anonymity__in", ["open", "single_blind", "double_blind"])),
                    name="round_anonymity_known",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="RoundIdentities",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "round",
                models.OneToOneField(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="identities",
                    to="grading.pairinground",
                ),
            ),
            ("people", models.JSONField()),
        ],
        options={
            "verbose_name_plural": "round identities",
        },
    ),
    migrations.CreateModel(
        name="Pairing",
        fields=[
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "id",
                models.UUIDField(
                    default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                ),
            ),
            (
                "round",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="pairings",
                    to="grading.pairinground",
                ),
            ),
            (
                "auditor",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="audits_owed",
                    to="grading.enrollment",
                ),
            ),
            (
                "auditee",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="audits_due",
                    to="grading.enrollment",
                ),
            ),
            (
                "made_by",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("ended_at", models.DateTimeField(blank=True, null=True)),
            ("end_reason", models.CharField(blank=True, max_length=200)),
        ],
        options={
            "ordering": ["created_at", "pk"],
            "constraints": [
                models.UniqueConstraint(
                    condition=models.Q(("ended_at", None)),
                    fields=("round", "auditor", "auditee"),
                    name="paired_once",
                ),
                models.CheckConstraint(
                    condition=models.Q(("auditor", models.F("auditee")), _negated=True),
                    name="nobody_is_their_own_peer",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="CommunicationEntry",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "assignment",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="communication",
                    to="grading.assignment",
                ),
            ),
            (
                "student",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="communication",
                    to="grading.enrollment",
                ),
            ),
            (
                "pairing",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="communication",
                    to="grading.pairing",
                ),
            ),
            (
                "kind",
                models.CharField(
                    choices=[
                        ("progress", "Progress"),
                        ("blocker", "Blocker"),
                        ("design", "Design note"),
                    ],
                    max_length=8,
                ),
            ),
            ("text", models.TextField()),
            ("posted_at", models.DateTimeField(auto_now_add=True)),
        ],
        options={
            "verbose_name_plural": "communication entries",
            "ordering": ["-posted_at", "-pk"],
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(("kind__in", ["progress", "blocker", "design"])),
                    name="entry_kind_known",
                ),
                models.CheckConstraint(
                    condition=models.Q(("text", ""), _negated=True), name="entry_says_something"
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="RoundMember",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "round",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="members",
                    to="grading.pairinground",
                ),
            ),
            (
                "student",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="round_places",
                    to="grading.enrollment",
                ),
            ),
            ("alias", models.CharField(max_length=40)),
            ("position", models.PositiveIntegerField()),
            ("joined_at", models.DateTimeField(auto_now_add=True)),
            ("left_at", models.DateTimeField(blank=True, null=True)),
            ("reminders", models.PositiveSmallIntegerField(default=0)),
            ("reminded_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={
            "ordering": ["round", "position"],
            "constraints": [
                models.UniqueConstraint(fields=("round", "student"), name="once_in_a_round"),
                models.UniqueConstraint(fields=("round", "alias"), name="alias_once_in_a_round"),
                models.UniqueConstraint(fields=("round", "position"), name="place_once_in_a_round"),
            ],
        },
    ),
    migrations.CreateModel(
        name="Webhook",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            ("url", models.CharField(max_length=500)),
            ("sealed_secret", models.TextField(editable=False)),
            ("sealed_previous", models.TextField(blank=True, editable=False)),
            ("previous_until", models.DateTimeField(blank=True, editable=False, null=True)),
            ("events", models.JSONField(default=list)),
            ("active", models.BooleanField(default=True)),
            (
                "made_by",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("created_at", models.DateTimeField(auto_now_add=True)),
        ],
        options={
            "ordering": ["-created_at", "-pk"],
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("previous_until", None), ("sealed_previous", "")),
                        models.Q(
                            models.Q(("sealed_previous", ""), _negated=True),
                            ("previous_until__isnull", False),
                        ),
                        _connector="OR",
                    ),
                    name="webhook_previous_secret_ends",
                )
            ],
        },
    ),
    migrations.CreateModel(
        name="WebhookDelivery",
        fields=[
            (
                "organization",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "id",
                models.UUIDField(
                    default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                ),
            ),
            (
                "webhook",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="deliveries",
                    to="grading.webhook",
                ),
            ),
            (
                "event",
                models.CharField(
                    choices=[
                        ("audit.finished", "An audit has a verdict"),
                        ("audit.failed", "An audit failed"),
                        ("grade.released", "A grade was released or changed"),
                        ("appeal.filed", "An appeal was filed"),
                        ("appeal.answered", "An appeal was answered"),
                        ("feedback.received", "A peer's report arrived"),
                        ("webhook.test", "A test"),
                    ],
                    max_length=24,
                ),
            ),
            ("payload", models.JSONField()),
            (
                "state",
                models.CharField(
                    choices=[
                        ("waiting", "Waiting"),
                        ("delivered", "Delivered"),
                        ("failed", "Failed"),
                    ],
                    default="waiting",
                    max_length=10,
                ),
            ),
            ("tries", models.PositiveSmallIntegerField(default=0)),
            ("next_at", models.DateTimeField(default=django.utils.timezone.now)),
            ("status", models.PositiveSmallIntegerField(blank=True, null=True)),
            ("answer", models.CharField(blank=True, max_length=500)),
            ("error", models.CharField(blank=True, max_length=300)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("ended_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={
            "verbose_name_plural": "webhook deliveries",
            "ordering": ["-created_at", "pk"],
            "indexes": [
                models.Index(
                    condition=models.Q(("state", "waiting")),
                    fields=["next_at"],
                    name="delivery_waiting",
                )
            ],
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(
                        (
                            "event__in",
                            [
                                "audit.finished",
                                "audit.failed",
                                "grade.released",
                                "appeal.filed",
                                "appeal.answered",
                                "feedback.received",
                                "webhook.test",
                            ],
                        )
                    ),
                    name="delivery_event_known",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("ended_at", None), ("state", "waiting")),
                        models.Q(
                            ("ended_at__isnull", False), ("state__in", ("delivered", "failed"))
                        ),
                        _connector="OR",
                    ),
                    name="delivery_ended_has_a_time",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="HeldSlot",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            ("name", models.CharField(max_length=100)),
            ("number", models.PositiveSmallIntegerField()),
            ("token", models.UUIDField()),
            ("until", models.DateTimeField()),
        ],
        options={
            "constraints": [
                models.UniqueConstraint(fields=("name", "number"), name="slot_is_held_once")
            ]
        },
    ),
    migrations.CreateModel(
        name="PersonalCalendar",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "user",
                models.OneToOneField(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="calendar",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("time_zone", models.CharField(blank=True, max_length=64)),
            ("sha256", models.CharField(blank=True, max_length=64, null=True, unique=True)),
            ("made_at", models.DateTimeField(blank=True, null=True)),
        ],
    ),
    migrations.CreateModel(
        name="BankedComment",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "rubric",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="banked_comments",
                    to="grading.rubric",
                ),
            ),
            ("criterion_id", models.CharField(blank=True, max_length=200)),
            ("label", models.CharField(max_length=80)),
            ("text", models.TextField()),
            ("points", models.SmallIntegerField(blank=True, null=True)),
            ("uses", models.PositiveIntegerField(default=0)),
            (
                "author",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("archived_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={
            "ordering": ["-uses", "label", "pk"],
            "constraints": [
                models.UniqueConstraint(
                    condition=models.Q(("archived_at", None)),
                    fields=("rubric", "criterion_id", "label"),
                    name="banked_label_once",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("label", ""), _negated=True),
                        models.Q(("text", ""), _negated=True),
                    ),
                    name="banked_has_words",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        ("points", None),
                        models.Q(("points__gte", -4), ("points__lte", 4)),
                        _connector="OR",
                    ),
                    name="banked_points_four_at_most",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="Extension",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "assignment",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="extensions",
                    to="grading.assignment",
                ),
            ),
            (
                "student",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="extensions",
                    to="grading.enrollment",
                ),
            ),
            ("group", models.CharField(blank=True, max_length=60)),
            ("due_at", models.DateTimeField(blank=True, null=True)),
            ("max_attempts", models.PositiveSmallIntegerField(blank=True, null=True)),
            ("no_late_mark", models.BooleanField(default=False)),
            ("reason", models.TextField()),
            (
                "given_by",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("given_at", models.DateTimeField(auto_now_add=True)),
            (
                "ending",
                models.CharField(
                    blank=True,
                    choices=[("withdrawn", "Withdrawn"), ("replaced", "Replaced")],
                    max_length=9,
                ),
            ),
            (
                "ended_by",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("ended_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={
            "ordering": ["-given_at", "-pk"],
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("group", ""), ("student__isnull", False)),
                        models.Q(("student", None), models.Q(("group", ""), _negated=True)),
                        _connector="OR",
                    ),
                    name="extension_for_student_or_group",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        ("due_at__isnull", False),
                        ("max_attempts__isnull", False),
                        ("no_late_mark", True),
                        _connector="OR",
                    ),
                    name="extension_gives_something",
                ),
                models.CheckConstraint(
                    condition=models.Q(("reason", ""), _negated=True), name="extension_has_a_reason"
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("ended_at", None), ("ending", "")),
                        models.Q(
                            ("ended_at__isnull", False), ("ending__in", ["withdrawn", "replaced"])
                        ),
                        _connector="OR",
                    ),
                    name="extension_ended_has_a_time",
                ),
                models.UniqueConstraint(
                    condition=models.Q(("ending", ""), ("student__isnull", False)),
                    fields=("assignment", "student"),
                    name="one_extension_per_student",
                ),
                models.UniqueConstraint(
                    condition=models.Q(("ending", ""), ("student", None)),
                    fields=("assignment", "group"),
                    name="one_extension_per_group",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="ReviewShare",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "assignment",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="review_shares",
                    to="grading.assignment",
                ),
            ),
            (
                "reader",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            (
                "student",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="+",
                    to="grading.enrollment",
                ),
            ),
            ("criterion_id", models.CharField(blank=True, max_length=200)),
        ],
        options={
            "ordering": ["pk"],
            "constraints": [
                models.UniqueConstraint(
                    fields=("assignment", "student", "criterion_id"),
                    name="review_share_has_one_reader",
                    nulls_distinct=False,
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        ("student__isnull", False),
                        models.Q(("criterion_id", ""), _negated=True),
                        _connector="OR",
                    ),
                    name="review_share_names_something",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="ReviewPresence",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "assignment",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="review_presences",
                    to="grading.assignment",
                ),
            ),
            (
                "reader",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            (
                "student",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="+",
                    to="grading.enrollment",
                ),
            ),
            ("seen_at", models.DateTimeField()),
        ],
        options={
            "ordering": ["pk"],
            "constraints": [
                models.UniqueConstraint(
                    fields=("assignment", "reader"), name="one_open_page_per_reader"
                )
            ],
        },
    ),
    migrations.CreateModel(
        name="JoinLink",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "cohort",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="join_links",
                    to="grading.cohort",
                ),
            ),
            ("code", models.CharField(max_length=12, unique=True)),
            ("ends_at", models.DateTimeField()),
            ("closed_at", models.DateTimeField(blank=True, null=True)),
            (
                "created_by",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("created_at", models.DateTimeField(auto_now_add=True)),
        ],
        options={
            "ordering": ["pk"],
            "constraints": [
                models.UniqueConstraint(
                    condition=models.Q(("closed_at", None)),
                    fields=("cohort",),
                    name="one_join_link_per_cohort",
                )
            ],
        },
    ),
    migrations.CreateModel(
        name="DueReminder",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "assignment",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="+",
                    to="grading.assignment",
                ),
            ),
            (
                "student",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="+",
                    to="grading.enrollment",
                ),
            ),
            ("hours", models.PositiveSmallIntegerField()),
            ("due_at", models.DateTimeField()),
            ("sent_at", models.DateTimeField(auto_now_add=True)),
        ],
        options={
            "ordering": ["pk"],
            "constraints": [
                models.UniqueConstraint(
                    fields=("assignment", "student", "hours", "due_at"), name="due_reminder_once"
                ),
                models.CheckConstraint(
                    condition=models.Q(("hours__in", (24, 72))), name="due_reminder_hours"
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="NoticeDaily",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "user",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            (
                "kind",
                models.CharField(
                    choices=[
                        ("released", "One of my grades was released or changed"),
                        ("appeal_answered", "One of my appeals was answered"),
                        ("audit_failed", "One of my audits failed"),
                        ("report_received", "I received a peer report on my work"),
                        ("peer_reminder", "I have a peer report or an answer due"),
                        ("handed_in", "One of my submissions was received"),
                        (
                            "complaint",
                            "A report was reported as abusive, or my complaint was decided",
                        ),
                        ("approval", "An organization asks for approval, or mine was answered"),
                        ("invitation", "An organization invited me"),
                        ("mentioned", "A colleague mentioned me in a staff note"),
                        ("appeal_assigned", "An appeal was handed to me"),
                        ("due_soon", "An assignment is due soon and I have not handed in"),
                        ("extension", "I was given an extension, or one ended"),
                        ("staff_daily", "Every day, how much work waits for staff"),
                        ("digest", "My emails of the day in one"),
                    ],
                    max_length=16,
                ),
            ),
            ("next_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={
            "ordering": ["pk"],
            "constraints": [
                models.UniqueConstraint(fields=("organization", "user", "kind"), name="daily_once"),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(
                            (
                                "kind__in",
                                [
                                    "released",
                                    "appeal_answered",
                                    "report_received",
                                    "peer_reminder",
                                    "handed_in",
                                    "complaint",
                                    "mentioned",
                                    "appeal_assigned",
                                ],
                            ),
                            ("next_at", None),
                        ),
                        models.Q(("kind", "staff_daily"), ("next_at__isnull", False)),
                        _connector="OR",
                    ),
                    name="daily_kind_may_be_daily",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="Team",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "assignment",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="teams",
                    to="grading.assignment",
                ),
            ),
            ("name", models.CharField(max_length=60)),
            ("code", models.CharField(max_length=12)),
            (
                "representative",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="represented_teams",
                    to="grading.enrollment",
                ),
            ),
            ("created_at", models.DateTimeField(auto_now_add=True)),
        ],
        options={
            "ordering": ["name", "pk"],
            "constraints": [
                models.UniqueConstraint(
                    models.F("assignment"),
                    django.db.models.functions.text.Lower("name"),
                    name="team_name_once",
                ),
                models.UniqueConstraint(fields=("assignment", "code"), name="team_code_once"),
                models.UniqueConstraint(
                    fields=("assignment", "representative"), name="team_representative_once"
                ),
                models.CheckConstraint(
                    condition=models.Q(("name", ""), _negated=True), name="team_has_a_name"
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="Submission",
        fields=[
            (
                "organization",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "id",
                models.UUIDField(
                    default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                ),
            ),
            (
                "assignment",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="submissions",
                    to="grading.assignment",
                ),
            ),
            (
                "student",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="submissions",
                    to="grading.enrollment",
                ),
            ),
            (
                "team",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="submissions",
                    to="grading.team",
                ),
            ),
            ("attempt", models.PositiveSmallIntegerField()),
            ("repo_url", models.CharField(max_length=2000)),
            ("ref", models.CharField(blank=True, max_length=255)),
            ("resolved_commit", models.CharField(blank=True, max_length=64)),
            (
                "pdf",
                models.FileField(
                    blank=True, max_length=200, upload_to=grading.models.submission.private_pdf_path
                ),
            ),
            ("pdf_name", models.CharField(blank=True, max_length=255)),
            ("pdf_sha256", models.CharField(blank=True, max_length=64)),
            ("pdf_bytes", models.PositiveIntegerField(default=0)),
            ("late", models.BooleanField(default=False)),
            ("counts", models.BooleanField(default=True)),
            (
                "handed_in_by",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("handed_in_at", models.DateTimeField()),
        ],
        options={
            "ordering": ["-handed_in_at", "pk"],
            "constraints": [
                models.UniqueConstraint(
                    fields=("assignment", "student", "attempt"), name="attempt_once"
                ),
                models.CheckConstraint(
                    condition=models.Q(("repo_url", ""), _negated=True),
                    name="submission_has_a_repository",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("pdf", ""), ("pdf_sha256", "")),
                        models.Q(
                            models.Q(("pdf", ""), _negated=True),
                            models.Q(("pdf_sha256", ""), _negated=True),
                        ),
                        _connector="OR",
                    ),
                    name="pdf_has_a_digest",
                ),
            ],
            "indexes": [
                models.Index(fields=["-handed_in_at", "id"], name="submission_newest"),
                models.Index(
                    fields=["organization"], include=("pdf_bytes",), name="submission_uploads"
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="BlindGrade",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "submission",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="blind_grades",
                    to="grading.submission",
                ),
            ),
            ("criterion_id", models.CharField(max_length=200)),
            ("score", models.PositiveSmallIntegerField()),
            (
                "graded_by",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("graded_at", models.DateTimeField(auto_now=True)),
            ("sealed", models.BooleanField(default=False)),
        ],
        options={
            "ordering": ["pk"],
            "constraints": [
                models.UniqueConstraint(
                    fields=("submission", "criterion_id", "graded_by"),
                    name="one_blind_grade_per_person",
                ),
                models.CheckConstraint(
                    condition=models.Q(("score__gte", 1), ("score__lte", 5)),
                    name="blind_score_1_to_5",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="Audit",
        fields=[
            (
                "organization",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "id",
                models.UUIDField(
                    default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                ),
            ),
            (
                "submission",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="audits",
                    to="grading.submission",
                ),
            ),
            (
                "kind",
                models.CharField(
                    choices=[("self", "Self"), ("peer", "Peer"), ("instructor", "Instructor")],
                    default="self",
                    max_length=12,
                ),
            ),
            (
                "account",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            (
                "rubric_version",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="audits",
                    to="grading.rubricversion",
                ),
            ),
            (
                "renewal",
                models.CharField(
                    choices=[
                        ("missing", "Only the missing parts"),
                        ("opinions", "The opinions"),
                        ("everything", "Everything"),
                    ],
                    default="missing",
                    max_length=10,
                ),
            ),
            ("criteria", models.JSONField(blank=True, default=list)),
            (
                "bulk_run",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="audits",
                    to="grading.bulkrun",
                ),
            ),
            (
                "state",
                models.CharField(
                    choices=[
                        ("received", "Received"),
                        ("queued", "Queued"),
                        ("running", "Running"),
                        ("done", "Done"),
                        ("needs_review", "Needs review"),
                        ("degraded", "Degraded"),
                        ("failed", "Failed"),
                    ],
                    default="received",
                    max_length=12,
                ),
            ),
            ("stage", models.CharField(blank=True, max_length=40)),
            ("stage_times", models.JSONField(blank=True, default=dict)),
            ("run_attempt", models.PositiveSmallIntegerField(default=0)),
            ("lease_token", models.UUIDField(blank=True, null=True)),
            ("lease_until", models.DateTimeField(blank=True, null=True)),
            ("opinions_expected", models.PositiveIntegerField(default=0)),
            ("opinions_done", models.PositiveIntegerField(default=0)),
            ("failure_code", models.CharField(blank=True, max_length=60)),
            ("failure_message", models.TextField(blank=True)),
            ("screening", models.JSONField(blank=True, null=True)),
            ("report", models.JSONField(blank=True, null=True)),
            ("report_digest", models.CharField(blank=True, max_length=64)),
            ("overall_score", models.FloatField(blank=True, null=True)),
            (
                "budget_usd",
                models.DecimalField(blank=True, decimal_places=8, max_digits=14, null=True),
            ),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("queued_at", models.DateTimeField(blank=True, null=True)),
            ("grace_until", models.DateTimeField(blank=True, null=True)),
            ("started_at", models.DateTimeField(blank=True, null=True)),
            ("finished_at", models.DateTimeField(blank=True, null=True)),
            ("version", models.PositiveIntegerField(default=1)),
            ("traceparent", models.CharField(blank=True, max_length=55)),
        ],
        options={
            "ordering": ["-created_at", "pk"],
            "indexes": [
                models.Index(
                    condition=models.Q(("state", "queued")),
                    fields=["queued_at"],
                    name="audit_waiting",
                ),
                models.Index(
                    condition=models.Q(("state", "running")),
                    fields=["lease_until"],
                    name="audit_leased",
                ),
                models.Index(
                    condition=models.Q(("state__in", ("received", "queued", "running"))),
                    fields=["organization"],
                    name="audit_open",
                ),
                models.Index(fields=["organization", "-finished_at"], name="audit_ended"),
                models.Index(fields=["-created_at", "id"], name="audit_newest"),
            ],
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(
                        (
                            "state__in",
                            [
                                "received",
                                "queued",
                                "running",
                                "done",
                                "needs_review",
                                "degraded",
                                "failed",
                            ],
                        )
                    ),
                    name="audit_state_known",
                ),
                models.CheckConstraint(
                    condition=models.Q(("kind__in", ["self", "peer", "instructor"])),
                    name="audit_kind_known",
                ),
                models.CheckConstraint(
                    condition=models.Q(("renewal__in", ["missing", "opinions", "everything"])),
                    name="audit_renewal_known",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(
                            ("lease_token__isnull", False),
                            ("lease_until__isnull", False),
                            ("state", "running"),
                        ),
                        models.Q(
                            models.Q(("state", "running"), _negated=True),
                            ("lease_token", None),
                            ("lease_until", None),
                        ),
                        _connector="OR",
                    ),
                    name="audit_leased_while_running",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(
                            ("report__isnull", False),
                            ("state__in", ("done", "needs_review", "degraded")),
                        ),
                        models.Q(
                            models.Q(
                                ("state__in", ("done", "needs_review", "degraded")), _negated=True
                            ),
                            ("report__isnull", True),
                        ),
                        _connector="OR",
                    ),
                    name="audit_report_when_it_ended_well",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(
                            ("state", "failed"), models.Q(("failure_code", ""), _negated=True)
                        ),
                        models.Q(
                            models.Q(("state", "failed"), _negated=True), ("failure_code", "")
                        ),
                        _connector="OR",
                    ),
                    name="audit_failure_has_a_code",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        ("overall_score__isnull", True),
                        ("state__in", ("done", "needs_review")),
                        _connector="OR",
                    ),
                    name="audit_failure_is_no_score",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(
                            ("finished_at__isnull", False),
                            ("state__in", ("done", "needs_review", "degraded", "failed")),
                        ),
                        models.Q(
                            models.Q(
                                ("state__in", ("done", "needs_review", "degraded", "failed")),
                                _negated=True,
                            ),
                            ("finished_at", None),
                        ),
                        _connector="OR",
                    ),
                    name="audit_finished_has_a_time",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="Appeal",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "submission",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="appeals",
                    to="grading.submission",
                ),
            ),
            ("criterion_id", models.CharField(max_length=200)),
            ("criterion_name", models.CharField(max_length=300)),
            (
                "state",
                models.CharField(
                    choices=[
                        ("open", "Open"),
                        ("escalated", "Escalated"),
                        ("rejudging", "Being judged again"),
                        ("kept", "Verdict kept"),
                        ("changed", "Verdict changed"),
                        ("withdrawn", "Withdrawn"),
                    ],
                    default="open",
                    max_length=10,
                ),
            ),
            ("text", models.TextField()),
            ("cited", models.JSONField(blank=True, default=list)),
            ("places", models.TextField(blank=True)),
            ("verdict", models.JSONField()),
            ("report_digest", models.CharField(max_length=64)),
            (
                "rejudged_in",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to="grading.audit",
                ),
            ),
            ("escalated_at", models.DateTimeField(blank=True, null=True)),
            (
                "assigned_to",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to="grading.membership",
                ),
            ),
            ("answer", models.TextField(blank=True)),
            ("new_score", models.PositiveSmallIntegerField(blank=True, null=True)),
            ("filed_at", models.DateTimeField(auto_now_add=True)),
            (
                "decided_by",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("decided_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={
            "ordering": ["filed_at", "pk"],
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(
                        (
                            "state__in",
                            ["open", "escalated", "rejudging", "kept", "changed", "withdrawn"],
                        )
                    ),
                    name="appeal_state_known",
                ),
                models.UniqueConstraint(
                    condition=models.Q(("state__in", ("open", "escalated", "rejudging"))),
                    fields=("submission", "criterion_id"),
                    name="one_pending_appeal_per_criterion",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(
                            ("decided_at", None), ("state__in", ("open", "escalated", "rejudging"))
                        ),
                        models.Q(
                            models.Q(
                                ("state__in", ("open", "escalated", "rejudging")), _negated=True
                            ),
                            ("decided_at__isnull", False),
                        ),
                        _connector="OR",
                    ),
                    name="appeal_decided_has_a_time",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("state", "escalated"), _negated=True),
                        ("escalated_at__isnull", False),
                        _connector="OR",
                    ),
                    name="appeal_escalated_has_a_time",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(
                            ("new_score__gte", 1), ("new_score__lte", 5), ("state", "changed")
                        ),
                        models.Q(
                            models.Q(("state", "changed"), _negated=True), ("new_score", None)
                        ),
                        _connector="OR",
                    ),
                    name="appeal_changed_has_a_score",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="BulkItem",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "run",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="items",
                    to="grading.bulkrun",
                ),
            ),
            ("position", models.PositiveIntegerField()),
            (
                "submission",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="+",
                    to="grading.submission",
                ),
            ),
            (
                "audit",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="+",
                    to="grading.audit",
                ),
            ),
            (
                "renewed",
                models.OneToOneField(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="bulk_item",
                    to="grading.audit",
                ),
            ),
            (
                "state",
                models.CharField(
                    choices=[
                        ("waiting", "Waiting"),
                        ("done", "Done"),
                        ("failed", "Failed"),
                        ("cancelled", "Cancelled"),
                    ],
                    default="waiting",
                    max_length=10,
                ),
            ),
            ("tries", models.PositiveSmallIntegerField(default=0)),
            ("score_before", models.FloatField(blank=True, null=True)),
            ("score_after", models.FloatField(blank=True, null=True)),
            ("criteria_changed", models.PositiveSmallIntegerField(default=0)),
            ("changed", models.BooleanField(default=False)),
            ("code", models.CharField(blank=True, max_length=60)),
            ("message", models.TextField(blank=True)),
        ],
        options={
            "ordering": ["run", "position"],
            "constraints": [
                models.UniqueConstraint(fields=("run", "position"), name="bulk_item_place_once"),
                models.UniqueConstraint(
                    fields=("run", "submission"), name="bulk_item_once_per_attempt"
                ),
                models.CheckConstraint(
                    condition=models.Q(("state__in", ["waiting", "done", "failed", "cancelled"])),
                    name="bulk_item_state_known",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("state", "failed"), models.Q(("code", ""), _negated=True)),
                        models.Q(models.Q(("state", "failed"), _negated=True), ("code", "")),
                        _connector="OR",
                    ),
                    name="bulk_item_failure_has_a_code",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="CriterionVerdict",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "audit",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="verdicts",
                    to="grading.audit",
                ),
            ),
            ("position", models.PositiveSmallIntegerField()),
            ("criterion_id", models.CharField(max_length=200)),
            ("name", models.CharField(max_length=300)),
            ("score", models.PositiveSmallIntegerField(blank=True, null=True)),
            ("level", models.CharField(blank=True, max_length=200)),
            ("points", models.FloatField(blank=True, null=True)),
            ("max_points", models.FloatField(blank=True, null=True)),
            ("needs_review", models.BooleanField(default=False)),
            ("excluded", models.BooleanField(default=False)),
        ],
        options={
            "ordering": ["audit", "position"],
            "constraints": [
                models.UniqueConstraint(
                    fields=("audit", "criterion_id"), name="verdict_once_per_criterion"
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        ("score__isnull", True),
                        models.Q(("score__gte", 1), ("score__lte", 5)),
                        _connector="OR",
                    ),
                    name="verdict_score_1_to_5",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="EvidenceRecord",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "audit",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="evidence_records",
                    to="grading.audit",
                ),
            ),
            ("key", models.CharField(max_length=40)),
            ("detective", models.CharField(max_length=20)),
            ("check_id", models.CharField(max_length=200)),
            ("found", models.BooleanField()),
            ("path", models.TextField(blank=True)),
            ("line_start", models.PositiveIntegerField(blank=True, null=True)),
            ("document", models.JSONField()),
        ],
        options={
            "ordering": ["pk"],
            "constraints": [
                models.UniqueConstraint(fields=("audit", "key"), name="evidence_once_per_audit")
            ],
        },
    ),
    migrations.CreateModel(
        name="Finding",
        fields=[
            (
                "organization",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "id",
                models.UUIDField(
                    default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                ),
            ),
            (
                "assignment",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="findings",
                    to="grading.assignment",
                ),
            ),
            (
                "student",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="findings",
                    to="grading.enrollment",
                ),
            ),
            ("key", models.CharField(max_length=64)),
            ("criterion_id", models.CharField(max_length=200)),
            ("criterion_name", models.CharField(max_length=300)),
            ("check_id", models.CharField(blank=True, max_length=200)),
            ("place", models.CharField(blank=True, max_length=1024)),
            ("title", models.TextField()),
            (
                "state",
                models.CharField(
                    choices=[("open", "Open"), ("fixed", "Fixed"), ("regressed", "Regressed")],
                    default="open",
                    max_length=10,
                ),
            ),
            (
                "first_submission",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.submission",
                ),
            ),
            (
                "last_submission",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.submission",
                ),
            ),
            (
                "fixed_submission",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.submission",
                ),
            ),
            ("fixed_commit", models.CharField(blank=True, max_length=64)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("changed_at", models.DateTimeField(auto_now=True)),
        ],
        options={
            "ordering": ["criterion_id", "place", "pk"],
            "constraints": [
                models.UniqueConstraint(
                    fields=("assignment", "student", "key"), name="finding_once"
                ),
                models.CheckConstraint(
                    condition=models.Q(("state__in", ["open", "fixed", "regressed"])),
                    name="finding_state_known",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("fixed_submission__isnull", False), ("state", "fixed")),
                        models.Q(
                            models.Q(("state", "fixed"), _negated=True),
                            ("fixed_commit", ""),
                            ("fixed_submission", None),
                        ),
                        _connector="OR",
                    ),
                    name="finding_fixed_by_an_attempt",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="FindingHelp",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "finding",
                models.OneToOneField(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="help",
                    to="grading.finding",
                ),
            ),
            ("helpful", models.BooleanField()),
            ("said_at", models.DateTimeField()),
        ],
        options={
            "ordering": ["pk"],
        },
    ),
    migrations.CreateModel(
        name="FindingResponse",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "finding",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="responses",
                    to="grading.finding",
                ),
            ),
            (
                "kind",
                models.CharField(
                    choices=[
                        ("fixed", "Fixed"),
                        ("will_fix", "Will be fixed"),
                        ("deferred", "Deferred"),
                        ("contested", "Contested"),
                        ("dismissed", "Dismissed"),
                    ],
                    max_length=10,
                ),
            ),
            ("commit", models.CharField(blank=True, max_length=64)),
            ("reason", models.TextField(blank=True)),
            ("verified", models.BooleanField(blank=True, null=True)),
            ("verification", models.TextField(blank=True)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("replaced_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={
            "ordering": ["-created_at", "-pk"],
            "constraints": [
                models.UniqueConstraint(
                    condition=models.Q(("replaced_at", None)),
                    fields=("finding",),
                    name="one_answer_to_a_finding",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        ("kind__in", ["fixed", "will_fix", "deferred", "contested", "dismissed"])
                    ),
                    name="response_kind_known",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("kind", "fixed"), models.Q(("commit", ""), _negated=True)),
                        models.Q(("commit", ""), ("kind", "will_fix")),
                        models.Q(
                            ("commit", ""),
                            ("kind__in", ("deferred", "contested", "dismissed")),
                            models.Q(("reason", ""), _negated=True),
                        ),
                        _connector="OR",
                    ),
                    name="response_says_what_it_must",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="Grade",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "assignment",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="grades",
                    to="grading.assignment",
                ),
            ),
            (
                "student",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="grades",
                    to="grading.enrollment",
                ),
            ),
            (
                "audit",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.audit",
                ),
            ),
            ("pinned", models.BooleanField(default=False)),
            (
                "chosen",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to="grading.submission",
                ),
            ),
            ("overall_score", models.FloatField(blank=True, null=True)),
            ("points_earned", models.FloatField(blank=True, null=True)),
            ("points_possible", models.FloatField(blank=True, null=True)),
            ("adjusted_from", models.FloatField(blank=True, null=True)),
            ("overridden", models.PositiveSmallIntegerField(default=0)),
            ("needs_review", models.BooleanField(default=False)),
            ("suspected", models.BooleanField(default=False)),
            ("unverified", models.BooleanField(default=False)),
            ("failed_judges", models.PositiveSmallIntegerField(default=0)),
            ("widest_spread", models.PositiveSmallIntegerField(default=0)),
            ("released", models.JSONField(blank=True, null=True)),
            ("released_at", models.DateTimeField(blank=True, null=True)),
            (
                "released_by",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("changed", models.BooleanField(default=False)),
            ("changed_at", models.DateTimeField(auto_now=True)),
            ("comments_hidden_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={
            "ordering": ["pk"],
            "constraints": [
                models.UniqueConstraint(
                    fields=("assignment", "student"), name="one_grade_per_student"
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("released", None), ("released_at", None)),
                        models.Q(("released__isnull", False), ("released_at__isnull", False)),
                        _connector="OR",
                    ),
                    name="released_has_a_time",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="IdempotencyKey",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "user",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            (
                "assignment",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="+",
                    to="grading.assignment",
                ),
            ),
            ("key", models.CharField(max_length=200)),
            ("fingerprint", models.CharField(max_length=64)),
            (
                "submission",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="+",
                    to="grading.submission",
                ),
            ),
            ("created_at", models.DateTimeField(auto_now_add=True)),
        ],
        options={
            "ordering": ["-created_at", "-pk"],
            "constraints": [
                models.UniqueConstraint(
                    fields=("organization", "user", "key"), name="key_once_per_person"
                )
            ],
        },
    ),
    migrations.CreateModel(
        name="ModelUsage",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "audit",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="model_usage",
                    to="grading.audit",
                ),
            ),
            ("judge", models.CharField(max_length=12)),
            ("criterion_id", models.CharField(max_length=200)),
            ("round", models.PositiveSmallIntegerField()),
            ("model", models.CharField(max_length=200)),
            ("calls", models.PositiveIntegerField()),
            ("prompt_tokens", models.PositiveIntegerField()),
            ("cached_tokens", models.PositiveIntegerField()),
            ("completion_tokens", models.PositiveIntegerField()),
            (
                "cost_usd",
                models.DecimalField(blank=True, decimal_places=8, max_digits=14, null=True),
            ),
            ("created_at", models.DateTimeField(auto_now_add=True)),
        ],
        options={
            "verbose_name_plural": "model usage",
            "ordering": ["pk"],
            "indexes": [
                models.Index(fields=["organization", "created_at"], name="usage_of_a_month")
            ],
        },
    ),
    migrations.CreateModel(
        name="OpinionRecord",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "audit",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="opinion_records",
                    to="grading.audit",
                ),
            ),
            ("key", models.CharField(max_length=128)),
            ("judge", models.CharField(max_length=12)),
            ("criterion_id", models.CharField(max_length=200)),
            ("round", models.PositiveSmallIntegerField()),
            ("score", models.PositiveSmallIntegerField(blank=True, null=True)),
            ("document", models.JSONField()),
            ("created_at", models.DateTimeField(auto_now_add=True)),
        ],
        options={
            "ordering": ["pk"],
            "indexes": [
                models.Index(
                    condition=models.Q(("score__isnull", True)),
                    fields=["organization", "-created_at"],
                    name="opinion_without_score",
                )
            ],
            "constraints": [
                models.UniqueConstraint(fields=("audit", "key"), name="opinion_once_per_audit"),
                models.CheckConstraint(
                    condition=models.Q(
                        ("score__isnull", True),
                        models.Q(("score__gte", 1), ("score__lte", 5)),
                        _connector="OR",
                    ),
                    name="opinion_score_1_to_5",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="OrphanedUpload",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            ("name", models.CharField(max_length=200, unique=True)),
            ("delete_after", models.DateTimeField(db_index=True)),
        ],
        options={
            "ordering": ["delete_after", "pk"],
        },
    ),
    migrations.CreateModel(
        name="Override",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "submission",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="overrides",
                    to="grading.submission",
                ),
            ),
            ("criterion_id", models.CharField(max_length=200)),
            ("score", models.PositiveSmallIntegerField()),
            ("verdict_score", models.PositiveSmallIntegerField(blank=True, null=True)),
            ("reason", models.TextField()),
            (
                "made_by",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("made_at", models.DateTimeField(auto_now_add=True)),
            ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={
            "ordering": ["-made_at", "-pk"],
            "constraints": [
                models.UniqueConstraint(
                    condition=models.Q(("withdrawn_at", None)),
                    fields=("submission", "criterion_id"),
                    name="one_override_per_criterion",
                ),
                models.CheckConstraint(
                    condition=models.Q(("score__gte", 1), ("score__lte", 5)),
                    name="override_score_1_to_5",
                ),
                models.CheckConstraint(
                    condition=models.Q(("reason", ""), _negated=True), name="override_has_a_reason"
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="FeedbackReport",
        fields=[
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "id",
                models.UUIDField(
                    default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                ),
            ),
            (
                "assignment",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="feedback_reports",
                    to="grading.assignment",
                ),
            ),
            (
                "pairing",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="reports",
                    to="grading.pairing",
                ),
            ),
            (
                "kind",
                models.CharField(
                    choices=[("self", "On the student's own work"), ("peer", "On a peer's work")],
                    max_length=8,
                ),
            ),
            (
                "source",
                models.CharField(
                    choices=[
                        ("platform", "This site's courtroom"),
                        ("imported", "Imported, unsigned"),
                    ],
                    max_length=8,
                ),
            ),
            (
                "author",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="feedback_given",
                    to="grading.enrollment",
                ),
            ),
            (
                "subject",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="feedback_received",
                    to="grading.enrollment",
                ),
            ),
            (
                "submission",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="feedback_reports",
                    to="grading.submission",
                ),
            ),
            (
                "audit",
                models.OneToOneField(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="feedback_report",
                    to="grading.audit",
                ),
            ),
            (
                "brought_by",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.enrollment",
                ),
            ),
            ("origin", models.CharField(blank=True, max_length=1024)),
            ("repository", models.CharField(blank=True, max_length=2000)),
            ("original", models.TextField(blank=True)),
            ("original_name", models.CharField(blank=True, max_length=255)),
            ("original_sha256", models.CharField(blank=True, max_length=64)),
            ("reading", models.JSONField(blank=True, null=True)),
            ("misfits", models.JSONField(blank=True, default=list)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("read_at", models.DateTimeField(blank=True, null=True)),
            ("hidden_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={
            "ordering": ["-created_at", "pk"],
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(("kind__in", ["self", "peer"])), name="feedback_kind_known"
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(
                            ("audit__isnull", False),
                            ("original", ""),
                            ("reading", None),
                            ("source", "platform"),
                        ),
                        models.Q(
                            ("audit", None),
                            ("brought_by__isnull", False),
                            ("reading__isnull", False),
                            ("source", "imported"),
                            models.Q(("original", ""), _negated=True),
                        ),
                        _connector="OR",
                    ),
                    name="feedback_from_one_source",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(
                            ("author", models.F("subject")), ("kind", "self"), ("pairing", None)
                        ),
                        models.Q(
                            ("kind", "peer"),
                            models.Q(
                                ("author", None),
                                models.Q(("author", models.F("subject")), _negated=True),
                                _connector="OR",
                            ),
                        ),
                        _connector="OR",
                    ),
                    name="feedback_on_self_or_peer",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        ("author__isnull", False), ("subject__isnull", False), _connector="OR"
                    ),
                    name="feedback_of_somebody",
                ),
                models.UniqueConstraint(
                    condition=models.Q(("source", "imported")),
                    fields=("assignment", "brought_by", "kind", "original_sha256", "pairing"),
                    name="feedback_imported_once",
                    nulls_distinct=False,
                ),
            ],
            "indexes": [models.Index(fields=["-created_at", "id"], name="feedback_newest")],
        },
    ),
    migrations.CreateModel(
        name="FeedbackEdition",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "report",
                models.OneToOneField(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="edition",
                    to="grading.feedbackreport",
                ),
            ),
            (
                "state",
                models.CharField(
                    choices=[
                        ("waiting", "Waits for a worker"),
                        ("made", "Made"),
                        ("failed", "Could not be made"),
                    ],
                    default="waiting",
                    max_length=7,
                ),
            ),
            ("marks", models.CharField(max_length=64)),
            ("partners", models.CharField(max_length=64)),
            ("content", models.JSONField(blank=True, null=True)),
            ("requested_at", models.DateTimeField()),
            ("made_at", models.DateTimeField(blank=True, null=True)),
            ("failure", models.CharField(blank=True, max_length=40)),
        ],
        options={
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("content__isnull", False), ("failure", ""), ("state", "made")),
                        models.Q(("content__isnull", True), ("failure", ""), ("state", "waiting")),
                        models.Q(
                            ("content__isnull", True),
                            ("state", "failed"),
                            models.Q(("failure", ""), _negated=True),
                        ),
                        _connector="OR",
                    ),
                    name="edition_made_waiting_or_failed",
                )
            ],
        },
    ),
    migrations.CreateModel(
        name="Complaint",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "report",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="complaints",
                    to="grading.feedbackreport",
                ),
            ),
            (
                "student",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.enrollment",
                ),
            ),
            ("text", models.TextField()),
            (
                "state",
                models.CharField(
                    choices=[
                        ("open", "Open"),
                        ("hidden", "The report was hidden"),
                        ("dismissed", "The report stays"),
                    ],
                    default="open",
                    max_length=9,
                ),
            ),
            ("made_at", models.DateTimeField(auto_now_add=True)),
            ("answer", models.TextField(blank=True)),
            ("decided_at", models.DateTimeField(blank=True, null=True)),
            (
                "decided_by",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
        ],
        options={
            "ordering": ["made_at", "pk"],
            "constraints": [
                models.UniqueConstraint(
                    condition=models.Q(("state", "open")),
                    fields=("report",),
                    name="one_open_complaint_on_a_report",
                ),
                models.CheckConstraint(
                    condition=models.Q(("state__in", ["open", "hidden", "dismissed"])),
                    name="complaint_state_known",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("decided_at", None), ("state", "open")),
                        models.Q(
                            models.Q(("state", "open"), _negated=True),
                            ("decided_at__isnull", False),
                            models.Q(("answer", ""), _negated=True),
                        ),
                        _connector="OR",
                    ),
                    name="complaint_open_or_answered",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="FindingSighting",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "finding",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="sightings",
                    to="grading.finding",
                ),
            ),
            (
                "audit",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="sightings",
                    to="grading.audit",
                ),
            ),
            (
                "report",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="sightings",
                    to="grading.feedbackreport",
                ),
            ),
            (
                "submission",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="sightings",
                    to="grading.submission",
                ),
            ),
            ("present", models.BooleanField()),
            ("lines", models.JSONField(blank=True, default=list)),
            ("text", models.TextField(blank=True)),
            ("action", models.TextField(blank=True)),
            ("priority", models.CharField(blank=True, max_length=6)),
            ("evidence", models.JSONField(blank=True, default=list)),
        ],
        options={
            "ordering": ["pk"],
            "constraints": [
                models.UniqueConstraint(
                    condition=models.Q(("audit__isnull", False)),
                    fields=("finding", "audit"),
                    name="sighted_once_by_an_audit",
                ),
                models.UniqueConstraint(
                    condition=models.Q(("report__isnull", False)),
                    fields=("finding", "report"),
                    name="sighted_once_by_a_report",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("audit__isnull", False), ("report", None)),
                        models.Q(("audit", None), ("present", True), ("report__isnull", False)),
                        _connector="OR",
                    ),
                    name="sighted_by_one",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="SupersededReport",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "audit",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="superseded_reports",
                    to="grading.audit",
                ),
            ),
            (
                "rubric_version",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.rubricversion",
                ),
            ),
            ("report", models.JSONField()),
            ("digest", models.CharField(max_length=64)),
            ("superseded_at", models.DateTimeField(auto_now_add=True)),
        ],
        options={
            "ordering": ["-superseded_at", "-pk"],
            "constraints": [
                models.UniqueConstraint(fields=("audit", "digest"), name="superseded_report_once")
            ],
        },
    ),
    migrations.CreateModel(
        name="AuditContents",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "audit",
                models.OneToOneField(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="contents",
                    to="grading.audit",
                ),
            ),
            ("files", models.JSONField(blank=True, null=True)),
            ("pages", models.PositiveIntegerField(blank=True, null=True)),
            ("sources", models.BinaryField(blank=True, null=True)),
        ],
        options={
            "ordering": ["pk"],
        },
    ),
    migrations.CreateModel(
        name="Comment",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "submission",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="comments",
                    to="grading.submission",
                ),
            ),
            (
                "place",
                models.CharField(
                    choices=[
                        ("work", "The whole work"),
                        ("criterion", "A criterion"),
                        ("code", "Lines of code"),
                        ("page", "A page of the PDF"),
                    ],
                    max_length=9,
                ),
            ),
            ("criterion_id", models.CharField(blank=True, max_length=200)),
            ("criterion_name", models.CharField(blank=True, max_length=300)),
            ("path", models.CharField(blank=True, max_length=1000)),
            ("commit", models.CharField(blank=True, max_length=64)),
            ("first_line", models.PositiveIntegerField(blank=True, null=True)),
            ("last_line", models.PositiveIntegerField(blank=True, null=True)),
            ("page", models.PositiveIntegerField(blank=True, null=True)),
            ("text", models.TextField()),
            (
                "banked",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to="grading.bankedcomment",
                ),
            ),
            (
                "author",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("edited_at", models.DateTimeField(blank=True, null=True)),
            ("first_released_at", models.DateTimeField(blank=True, null=True)),
            ("released_at", models.DateTimeField(blank=True, null=True)),
            ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
            ("news_at", models.DateTimeField(blank=True, null=True)),
            ("answer_waits", models.BooleanField(default=False)),
            ("to_team", models.BooleanField(default=False)),
        ],
        options={
            "ordering": ["created_at", "pk"],
            "indexes": [
                models.Index(
                    condition=models.Q(("answer_waits", True), ("withdrawn_at", None)),
                    fields=["organization"],
                    name="comment_answer_waits",
                )
            ],
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(("text", ""), _negated=True), name="comment_has_words"
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(
                            ("place", "criterion"), models.Q(("criterion_id", ""), _negated=True)
                        ),
                        models.Q(
                            models.Q(("place", "criterion"), _negated=True),
                            ("criterion_id", ""),
                            ("criterion_name", ""),
                        ),
                        _connector="OR",
                    ),
                    name="comment_on_a_criterion_names_it",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(
                            ("first_line__gte", 1),
                            ("first_line__isnull", False),
                            ("last_line__gte", models.F("first_line")),
                            ("last_line__isnull", False),
                            ("place", "code"),
                            models.Q(("path", ""), _negated=True),
                        ),
                        models.Q(
                            models.Q(("place", "code"), _negated=True),
                            ("commit", ""),
                            ("first_line", None),
                            ("last_line", None),
                            ("path", ""),
                        ),
                        _connector="OR",
                    ),
                    name="comment_on_code_has_lines",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("page__gte", 1), ("page__isnull", False), ("place", "page")),
                        models.Q(models.Q(("place", "page"), _negated=True), ("page", None)),
                        _connector="OR",
                    ),
                    name="comment_on_a_page_has_its_number",
                ),
                models.CheckConstraint(
                    condition=models.Q(("place__in", ["work", "criterion", "code", "page"])),
                    name="comment_place_known",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        ("released_at", None),
                        models.Q(
                            ("first_released_at__isnull", False),
                            ("released_at__gte", models.F("first_released_at")),
                        ),
                        _connector="OR",
                    ),
                    name="comment_released_was_first_released",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        ("withdrawn_at", None),
                        ("first_released_at__isnull", False),
                        _connector="OR",
                    ),
                    name="comment_withdrawn_was_released",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        ("answer_waits", False),
                        ("first_released_at__isnull", False),
                        _connector="OR",
                    ),
                    name="comment_answered_was_released",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="CommentReply",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "comment",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="replies",
                    to="grading.comment",
                ),
            ),
            ("by_student", models.BooleanField()),
            ("text", models.TextField()),
            (
                "author",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("created_at", models.DateTimeField(auto_now_add=True)),
        ],
        options={
            "ordering": ["created_at", "pk"],
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(("text", ""), _negated=True), name="reply_has_words"
                )
            ],
        },
    ),
    migrations.CreateModel(
        name="GradeAdjustment",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "grade",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="adjustments",
                    to="grading.grade",
                ),
            ),
            ("delta", models.FloatField()),
            ("reason", models.TextField()),
            (
                "made_by",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("made_at", models.DateTimeField(auto_now_add=True)),
            ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={
            "ordering": ["-made_at", "-pk"],
            "constraints": [
                models.UniqueConstraint(
                    condition=models.Q(("withdrawn_at", None)),
                    fields=("grade",),
                    name="one_adjustment_per_grade",
                ),
                models.CheckConstraint(
                    condition=models.Q(("delta", 0), _negated=True),
                    name="adjustment_changes_something",
                ),
                models.CheckConstraint(
                    condition=models.Q(("reason", ""), _negated=True),
                    name="adjustment_has_a_reason",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="ReviewMark",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "submission",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="review_marks",
                    to="grading.submission",
                ),
            ),
            ("criterion_id", models.CharField(blank=True, max_length=200)),
            ("report_digest", models.CharField(blank=True, max_length=64)),
            (
                "reviewed_by",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("reviewed_at", models.DateTimeField(blank=True, null=True)),
            ("flag_word", models.CharField(blank=True, max_length=80)),
            (
                "flagged_by",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("flagged_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={
            "ordering": ["pk"],
            "constraints": [
                models.UniqueConstraint(
                    fields=("submission", "criterion_id"), name="one_review_mark_per_criterion"
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("report_digest", ""), ("reviewed_at", None)),
                        models.Q(
                            ("reviewed_at__isnull", False),
                            models.Q(("report_digest", ""), _negated=True),
                        ),
                        _connector="OR",
                    ),
                    name="review_has_a_verdict",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        ("flagged_at__isnull", False), ("flag_word", ""), _connector="OR"
                    ),
                    name="flag_word_has_a_flag",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="StaffNote",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "submission",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="staff_notes",
                    to="grading.submission",
                ),
            ),
            (
                "author",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("text", models.TextField(blank=True)),
            ("written_at", models.DateTimeField(auto_now_add=True)),
            ("edited_at", models.DateTimeField(blank=True, null=True)),
            ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={
            "ordering": ["written_at", "pk"],
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("withdrawn_at", None), models.Q(("text", ""), _negated=True)),
                        models.Q(("text", ""), ("withdrawn_at__isnull", False)),
                        _connector="OR",
                    ),
                    name="staff_note_has_text_until_withdrawn",
                )
            ],
        },
    ),
    migrations.CreateModel(
        name="TeamMember",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "team",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="members",
                    to="grading.team",
                ),
            ),
            (
                "assignment",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.assignment",
                ),
            ),
            (
                "student",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="team_memberships",
                    to="grading.enrollment",
                ),
            ),
            ("joined_at", models.DateTimeField()),
            ("left_at", models.DateTimeField(blank=True, null=True)),
            ("earlier_counts", models.BooleanField(default=True)),
            ("keeps_grade", models.BooleanField(default=True)),
        ],
        options={
            "ordering": ["joined_at", "pk"],
            "constraints": [
                models.UniqueConstraint(
                    condition=models.Q(("left_at", None)),
                    fields=("assignment", "student"),
                    name="one_team_per_student",
                ),
                models.UniqueConstraint(fields=("team", "student"), name="team_member_once"),
                models.CheckConstraint(
                    condition=models.Q(("left_at__gte", models.F("joined_at"))),
                    name="team_member_left_after_joining",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="LtiRegistration",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            ("key", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
            ("name", models.CharField(max_length=120)),
            ("family", models.CharField(blank=True, editable=False, max_length=40)),
            ("issuer", models.CharField(blank=True, max_length=500)),
            ("client_id", models.CharField(blank=True, max_length=255)),
            ("login_url", models.CharField(blank=True, max_length=500)),
            ("token_url", models.CharField(blank=True, max_length=500)),
            ("jwks_url", models.CharField(blank=True, max_length=500)),
            ("audience", models.CharField(blank=True, max_length=500)),
            (
                "teacher_role",
                models.CharField(
                    blank=True,
                    choices=[
                        ("instructor", "Instructor"),
                        ("assistant", "Assistant"),
                        ("", "Nothing"),
                    ],
                    max_length=12,
                ),
            ),
            ("active", models.BooleanField(default=True)),
            ("setup_sha256", models.CharField(blank=True, editable=False, max_length=64)),
            ("setup_until", models.DateTimeField(blank=True, editable=False, null=True)),
            (
                "made_by",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("created_at", models.DateTimeField(auto_now_add=True)),
        ],
        options={
            "verbose_name": "LTI registration",
            "ordering": ["name", "pk"],
            "constraints": [
                models.UniqueConstraint(
                    condition=models.Q(("issuer", ""), _negated=True),
                    fields=("organization", "issuer", "client_id"),
                    name="lti_client_once",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(
                            ("client_id", ""),
                            ("issuer", ""),
                            ("jwks_url", ""),
                            ("login_url", ""),
                            ("token_url", ""),
                        ),
                        models.Q(
                            models.Q(("issuer", ""), _negated=True),
                            models.Q(("client_id", ""), _negated=True),
                            models.Q(("login_url", ""), _negated=True),
                            models.Q(("token_url", ""), _negated=True),
                            models.Q(("jwks_url", ""), _negated=True),
                        ),
                        _connector="OR",
                    ),
                    name="lti_registration_complete_or_empty",
                ),
                models.CheckConstraint(
                    condition=models.Q(("teacher_role__in", ("", "instructor", "assistant"))),
                    name="lti_teacher_role_known",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="LtiDeployment",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "registration",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="deployments",
                    to="grading.ltiregistration",
                ),
            ),
            ("deployment_id", models.CharField(max_length=255)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
        ],
        options={
            "verbose_name": "LTI deployment",
            "ordering": ["pk"],
            "constraints": [
                models.UniqueConstraint(
                    fields=("registration", "deployment_id"), name="lti_deployment_once"
                )
            ],
        },
    ),
    migrations.CreateModel(
        name="LtiKey",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "registration",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="keys",
                    to="grading.ltiregistration",
                ),
            ),
            ("kid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
            ("sealed_private", models.TextField(editable=False)),
            ("public_jwk", models.JSONField(editable=False)),
            ("signs_from", models.DateTimeField(editable=False)),
            ("published_until", models.DateTimeField(blank=True, editable=False, null=True)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
        ],
        options={
            "verbose_name": "LTI key",
            "ordering": ["-signs_from", "-pk"],
        },
    ),
    migrations.CreateModel(
        name="LtiAccount",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "registration",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="accounts",
                    to="grading.ltiregistration",
                ),
            ),
            ("subject", models.CharField(max_length=255)),
            (
                "user",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="lti_accounts",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("ended_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={
            "verbose_name": "LTI account",
            "ordering": ["pk"],
            "constraints": [
                models.UniqueConstraint(
                    fields=("registration", "subject"), name="lti_subject_once"
                ),
                models.UniqueConstraint(
                    condition=models.Q(("ended_at", None)),
                    fields=("registration", "user"),
                    name="lti_user_once",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="LtiContext",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "registration",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="contexts",
                    to="grading.ltiregistration",
                ),
            ),
            (
                "deployment",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="contexts",
                    to="grading.ltideployment",
                ),
            ),
            ("context_id", models.CharField(max_length=255)),
            ("title", models.CharField(blank=True, max_length=200)),
            ("label", models.CharField(blank=True, max_length=120)),
            ("memberships_url", models.CharField(blank=True, max_length=500)),
            ("lineitems_url", models.CharField(blank=True, max_length=500)),
            ("grade_scopes", models.JSONField(blank=True, default=list)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
        ],
        options={
            "verbose_name": "LTI context",
            "ordering": ["title", "pk"],
            "constraints": [
                models.UniqueConstraint(
                    fields=("deployment", "context_id"), name="lti_context_once"
                )
            ],
        },
    ),
    migrations.CreateModel(
        name="LtiCourseLink",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "context",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="course_links",
                    to="grading.lticontext",
                ),
            ),
            (
                "cohort",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="lti_links",
                    to="grading.cohort",
                ),
            ),
            (
                "made_by",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("roster_at", models.DateTimeField(blank=True, null=True)),
            ("roster_next_at", models.DateTimeField(blank=True, null=True)),
            ("roster_error", models.CharField(blank=True, max_length=500)),
            ("sends_grades", models.BooleanField(default=True)),
        ],
        options={
            "verbose_name": "LTI course link",
            "ordering": ["pk"],
            "constraints": [
                models.UniqueConstraint(fields=("context", "cohort"), name="lti_course_linked_once")
            ],
        },
    ),
    migrations.CreateModel(
        name="LtiMember",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "course_link",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="members",
                    to="grading.lticourselink",
                ),
            ),
            ("subject", models.CharField(max_length=255)),
            (
                "enrollment",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="lti_members",
                    to="grading.enrollment",
                ),
            ),
            ("name", models.CharField(blank=True, max_length=200)),
            ("email", models.EmailField(blank=True, max_length=254)),
            ("roles", models.JSONField(blank=True, default=list)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("left_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={
            "verbose_name": "LTI member",
            "ordering": ["name", "pk"],
            "constraints": [
                models.UniqueConstraint(fields=("course_link", "subject"), name="lti_member_once")
            ],
        },
    ),
    migrations.CreateModel(
        name="LtiResourceLink",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "context",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="resource_links",
                    to="grading.lticontext",
                ),
            ),
            ("resource_link_id", models.CharField(max_length=255)),
            (
                "assignment",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="lti_links",
                    to="grading.assignment",
                ),
            ),
            ("title", models.CharField(blank=True, max_length=200)),
            ("lineitem_url", models.CharField(blank=True, max_length=500)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
        ],
        options={
            "verbose_name": "LTI resource link",
            "ordering": ["pk"],
            "constraints": [
                models.UniqueConstraint(
                    fields=("context", "resource_link_id"), name="lti_resource_link_once"
                )
            ],
        },
    ),
    migrations.CreateModel(
        name="LtiLineItem",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "context",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="line_items",
                    to="grading.lticontext",
                ),
            ),
            (
                "assignment",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="line_items",
                    to="grading.assignment",
                ),
            ),
            ("url", models.CharField(blank=True, max_length=500)),
            (
                "origin",
                models.CharField(
                    choices=[("platform", "The platform, for a link"), ("site", "This site")],
                    max_length=8,
                ),
            ),
            ("maximum", models.DecimalField(decimal_places=2, max_digits=8)),
            ("read_at", models.DateTimeField(blank=True, null=True)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
        ],
        options={
            "verbose_name": "LTI line item",
            "ordering": ["pk"],
            "constraints": [
                models.UniqueConstraint(
                    fields=("context", "assignment"), name="lti_line_item_once"
                ),
                models.CheckConstraint(
                    condition=models.Q(("maximum__gt", 0)), name="lti_line_item_has_points"
                ),
                models.CheckConstraint(
                    condition=models.Q(("origin__in", ["platform", "site"])),
                    name="lti_line_item_origin_known",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="LtiScore",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "line_item",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="scores",
                    to="grading.ltilineitem",
                ),
            ),
            (
                "student",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="lti_scores",
                    to="grading.enrollment",
                ),
            ),
            ("points", models.DecimalField(blank=True, decimal_places=2, max_digits=8, null=True)),
            ("comment", models.TextField(blank=True)),
            ("digest", models.CharField(blank=True, max_length=64)),
            (
                "state",
                models.CharField(
                    choices=[
                        ("waiting", "Waiting"),
                        ("sent", "Sent"),
                        ("refused", "Refused by the platform"),
                        ("overridden", "A teacher's score stands there"),
                        ("older", "The platform has a newer one"),
                        ("unknown", "The platform doesn't know the student"),
                        ("no_score", "There is no score to send"),
                        ("withdrawn", "Withdrawn there"),
                        ("failed", "The platform did not answer"),
                    ],
                    default="waiting",
                    max_length=10,
                ),
            ),
            ("tries", models.PositiveSmallIntegerField(default=0)),
            ("next_at", models.DateTimeField(blank=True, null=True)),
            ("status", models.PositiveSmallIntegerField(blank=True, null=True)),
            ("answer", models.CharField(blank=True, max_length=500)),
            ("stamped_at", models.DateTimeField(blank=True, null=True)),
            ("sent_at", models.DateTimeField(blank=True, null=True)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
        ],
        options={
            "verbose_name": "LTI score",
            "ordering": ["pk"],
            "indexes": [
                models.Index(
                    condition=models.Q(("state", "waiting")),
                    fields=["next_at"],
                    name="lti_score_waiting",
                )
            ],
            "constraints": [
                models.UniqueConstraint(fields=("line_item", "student"), name="lti_score_once"),
                models.CheckConstraint(
                    condition=models.Q(
                        (
                            "state__in",
                            [
                                "waiting",
                                "sent",
                                "refused",
                                "overridden",
                                "older",
                                "unknown",
                                "no_score",
                                "withdrawn",
                                "failed",
                            ],
                        )
                    ),
                    name="lti_score_state_known",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("state", "waiting"), _negated=True),
                        ("next_at__isnull", False),
                        _connector="OR",
                    ),
                    name="lti_score_waits_for_a_time",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="LtiLaunch",
        fields=[
            (
                "organization",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "id",
                models.UUIDField(
                    default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                ),
            ),
            (
                "registration",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="launches",
                    to="grading.ltiregistration",
                ),
            ),
            ("state_sha256", models.CharField(editable=False, max_length=64, unique=True)),
            ("browser_sha256", models.CharField(editable=False, max_length=64)),
            ("is_bound", models.BooleanField(default=True, editable=False)),
            ("frame_sha256", models.CharField(blank=True, editable=False, max_length=64)),
            ("nonce", models.CharField(editable=False, max_length=64)),
            ("target", models.CharField(max_length=2000)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("received_at", models.DateTimeField(blank=True, null=True)),
            (
                "kind",
                models.CharField(
                    blank=True,
                    choices=[("resource", "Open a link"), ("deep_linking", "Choose an assignment")],
                    max_length=12,
                ),
            ),
            ("claims", models.JSONField(blank=True, default=dict)),
            (
                "user",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("entered_at", models.DateTimeField(blank=True, null=True)),
            (
                "assignment",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to="grading.assignment",
                ),
            ),
            ("answered_at", models.DateTimeField(blank=True, null=True)),
            ("refusal", models.CharField(blank=True, max_length=40)),
            ("detail", models.CharField(blank=True, max_length=255)),
        ],
        options={
            "verbose_name": "LTI launch",
            "verbose_name_plural": "LTI launches",
            "ordering": ["-created_at", "pk"],
            "indexes": [
                models.Index(fields=["registration", "-created_at"], name="lti_launch_newest"),
                models.Index(fields=["created_at"], name="lti_launch_old"),
                models.Index(
                    condition=models.Q(("frame_sha256", ""), _negated=True),
                    fields=["frame_sha256"],
                    name="lti_launch_in_frame",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="RepositoryAccess",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "kind",
                models.CharField(
                    choices=[
                        ("token", "Token (https)"),
                        ("deploy_key", "Deploy key (ssh)"),
                        ("github_app", "GitHub App"),
                    ],
                    max_length=12,
                ),
            ),
            ("host", models.CharField(max_length=260)),
            ("path", models.CharField(blank=True, max_length=500)),
            ("for_teams", models.BooleanField(default=False)),
            ("username", models.CharField(blank=True, max_length=100)),
            ("sealed_secret", models.TextField(blank=True, editable=False)),
            ("public_key", models.TextField(blank=True)),
            ("host_key", models.TextField(blank=True)),
            ("host_key_confirmed_at", models.DateTimeField(blank=True, null=True)),
            ("installation_id", models.BigIntegerField(blank=True, null=True)),
            ("repository_id", models.BigIntegerField(blank=True, null=True)),
            ("account_id", models.BigIntegerField(blank=True, null=True)),
            ("account_login", models.CharField(blank=True, max_length=100)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("last_used_at", models.DateTimeField(blank=True, null=True)),
            ("last_used_for", models.CharField(blank=True, max_length=200)),
            ("refused_at", models.DateTimeField(blank=True, null=True)),
            (
                "made_by",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "owner",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            (
                "student",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="repository_accesses",
                    to="grading.enrollment",
                ),
            ),
        ],
        options={
            "verbose_name_plural": "repository accesses",
            "ordering": ["-created_at", "-pk"],
            "indexes": [
                models.Index(
                    condition=models.Q(("repository_id__isnull", False)),
                    fields=["repository_id"],
                    name="access_by_github_repository",
                )
            ],
            "constraints": [
                models.UniqueConstraint(
                    fields=("organization", "student", "kind", "host", "path"),
                    name="repository_access_once",
                    nulls_distinct=False,
                ),
                models.CheckConstraint(
                    condition=models.Q(("kind__in", ["token", "deploy_key", "github_app"])),
                    name="access_kind_known",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("owner", None), ("student", None)),
                        models.Q(
                            ("owner__isnull", False),
                            ("student__isnull", False),
                            models.Q(("path", ""), _negated=True),
                        ),
                        _connector="OR",
                    ),
                    name="access_of_a_student_opens_one_repository",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(
                            ("kind", "github_app"),
                            ("sealed_secret", ""),
                            ("student__isnull", False),
                            ("installation_id__isnull", False),
                            ("repository_id__isnull", False),
                            ("account_id__isnull", False),
                        ),
                        models.Q(
                            models.Q(("kind", "github_app"), _negated=True),
                            models.Q(("sealed_secret", ""), _negated=True),
                        ),
                        _connector="OR",
                    ),
                    name="access_has_its_secret_or_its_installation",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="RepositoryGrant",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            ("path", models.CharField(max_length=500)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            (
                "access",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="grants",
                    to="grading.repositoryaccess",
                ),
            ),
            (
                "made_by",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "student",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="repository_grants",
                    to="grading.enrollment",
                ),
            ),
        ],
        options={
            "ordering": ["path", "pk"],
            "constraints": [
                models.UniqueConstraint(fields=("access", "student", "path"), name="grant_once"),
                models.CheckConstraint(
                    condition=models.Q(("path", ""), _negated=True), name="grant_names_a_repository"
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="PushLink",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            ("key", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
            ("repository_id", models.BigIntegerField(blank=True, null=True)),
            ("address", models.CharField(max_length=500)),
            ("host", models.CharField(max_length=260)),
            ("path", models.CharField(max_length=500)),
            ("branch", models.CharField(max_length=250)),
            ("pdf_path", models.CharField(blank=True, max_length=500)),
            (
                "answer",
                models.CharField(
                    choices=[
                        ("full", "Result and findings, as far as you may see them"),
                        ("done", "Only that it was audited"),
                        ("nothing", "Nothing"),
                    ],
                    max_length=8,
                ),
            ),
            ("sealed_secret", models.TextField(blank=True, editable=False)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            (
                "access",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="+",
                    to="grading.repositoryaccess",
                ),
            ),
            (
                "assignment",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="push_links",
                    to="grading.assignment",
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "owner",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            (
                "student",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="push_links",
                    to="grading.enrollment",
                ),
            ),
        ],
        options={
            "ordering": ["-created_at", "-pk"],
            "constraints": [
                models.UniqueConstraint(fields=("assignment", "student"), name="push_link_once"),
                models.CheckConstraint(
                    condition=models.Q(("answer__in", ["full", "done", "nothing"])),
                    name="push_answer_known",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(
                            ("access", None),
                            ("repository_id", None),
                            models.Q(("sealed_secret", ""), _negated=True),
                        ),
                        models.Q(
                            ("access__isnull", False),
                            ("repository_id__isnull", False),
                            ("sealed_secret", ""),
                        ),
                        _connector="OR",
                    ),
                    name="push_link_has_its_secret_or_its_access",
                ),
            ],
            "indexes": [
                models.Index(
                    condition=models.Q(("repository_id__isnull", False)),
                    fields=["repository_id"],
                    name="push_link_by_github_repository",
                )
            ],
        },
    ),
    migrations.CreateModel(
        name="Push",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "forge",
                models.CharField(
                    choices=[
                        ("github", "GitHub"),
                        ("gitlab", "GitLab"),
                        ("gitea", "Gitea or Forgejo"),
                    ],
                    max_length=8,
                ),
            ),
            ("delivery", models.CharField(max_length=200)),
            ("body_sha256", models.CharField(max_length=64)),
            ("before", models.CharField(blank=True, max_length=40)),
            ("commit", models.CharField(max_length=40)),
            ("pushed_at", models.DateTimeField()),
            ("first_at", models.DateTimeField()),
            ("created_at", models.DateTimeField()),
            (
                "state",
                models.CharField(
                    choices=[
                        ("waiting", "waits"),
                        ("submitted", "submitted"),
                        ("superseded", "superseded by a later push"),
                        ("refused", "refused"),
                        ("late", "too late"),
                    ],
                    default="waiting",
                    max_length=12,
                ),
            ),
            ("next_at", models.DateTimeField()),
            ("tries", models.PositiveSmallIntegerField(default=0)),
            ("code", models.CharField(blank=True, max_length=60)),
            ("sentence", models.TextField(blank=True)),
            ("answer_at", models.DateTimeField(blank=True, null=True)),
            ("answer_tries", models.PositiveSmallIntegerField(default=0)),
            ("answer_id", models.BigIntegerField(blank=True, null=True)),
            ("answer_sha256", models.CharField(blank=True, max_length=64)),
            ("answer_error", models.TextField(blank=True)),
            (
                "organization",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "submission",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="pushes",
                    to="grading.submission",
                ),
            ),
            (
                "link",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="pushes",
                    to="grading.pushlink",
                ),
            ),
        ],
        options={
            "verbose_name_plural": "pushes",
            "ordering": ["-created_at", "-pk"],
            "constraints": [
                models.UniqueConstraint(fields=("link", "delivery"), name="push_delivered_once"),
                models.CheckConstraint(
                    condition=models.Q(
                        ("state__in", ["waiting", "submitted", "superseded", "refused", "late"])
                    ),
                    name="push_state_known",
                ),
                models.CheckConstraint(
                    condition=models.Q(("forge__in", ["github", "gitlab", "gitea"])),
                    name="push_forge_known",
                ),
            ],
            "indexes": [
                models.Index(
                    condition=models.Q(("state", "waiting")),
                    fields=["next_at"],
                    name="push_waiting",
                ),
                models.Index(
                    condition=models.Q(("answer_at__isnull", False)),
                    fields=["answer_at"],
                    name="push_answer_due",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="RepositoryTemplate",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            ("template", models.CharField(max_length=140)),
            ("login", models.CharField(max_length=100)),
            ("installation_id", models.BigIntegerField()),
            ("is_private", models.BooleanField(default=True)),
            (
                "permission",
                models.CharField(
                    choices=[("push", "Write"), ("maintain", "Maintain"), ("admin", "Admin")],
                    default="push",
                    max_length=8,
                ),
            ),
            ("prefix", models.CharField(max_length=60)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            (
                "assignment",
                models.OneToOneField(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="repository_template",
                    to="grading.assignment",
                ),
            ),
            (
                "made_by",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
        ],
        options={
            "ordering": ["pk"],
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(("permission__in", ["push", "maintain", "admin"])),
                    name="repository_permission_known",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="StudentRepository",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            ("key", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
            ("name", models.CharField(max_length=100)),
            (
                "state",
                models.CharField(
                    choices=[
                        ("waiting", "being made"),
                        ("made", "made"),
                        ("failed", "failed"),
                        ("gone", "deleted at GitHub"),
                    ],
                    default="waiting",
                    max_length=8,
                ),
            ),
            ("repository_id", models.BigIntegerField(blank=True, null=True)),
            ("full_name", models.CharField(blank=True, max_length=140)),
            ("url", models.CharField(blank=True, max_length=500)),
            ("sentence", models.TextField(blank=True)),
            ("words", models.TextField(blank=True)),
            ("tries", models.PositiveSmallIntegerField(default=0)),
            ("next_at", models.DateTimeField(blank=True, null=True)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            (
                "organization",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "student",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="made_repositories",
                    to="grading.enrollment",
                ),
            ),
            (
                "team",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="made_repositories",
                    to="grading.team",
                ),
            ),
            (
                "template",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="repositories",
                    to="grading.repositorytemplate",
                ),
            ),
        ],
        options={
            "verbose_name_plural": "student repositories",
            "ordering": ["name", "pk"],
            "constraints": [
                models.UniqueConstraint(
                    condition=models.Q(("team", None)),
                    fields=("template", "student"),
                    name="student_repository_once",
                ),
                models.UniqueConstraint(fields=("template", "team"), name="team_repository_once"),
                models.UniqueConstraint(fields=("template", "name"), name="repository_name_once"),
                models.CheckConstraint(
                    condition=models.Q(("state__in", ["waiting", "made", "failed", "gone"])),
                    name="repository_state_known",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("state", "made"), _negated=True),
                        ("repository_id__isnull", False),
                        _connector="OR",
                    ),
                    name="made_repository_has_its_id",
                ),
            ],
            "indexes": [
                models.Index(
                    condition=models.Q(("next_at__isnull", False)),
                    fields=["next_at"],
                    name="repository_due",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="RepositoryMember",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            ("account_id", models.BigIntegerField()),
            ("login", models.CharField(max_length=100)),
            (
                "state",
                models.CharField(
                    choices=[
                        ("waiting", "being invited"),
                        ("invited", "invited"),
                        ("accepted", "accepted"),
                        ("failed", "failed"),
                    ],
                    default="waiting",
                    max_length=8,
                ),
            ),
            ("url", models.CharField(blank=True, max_length=500)),
            ("words", models.TextField(blank=True)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            (
                "organization",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            (
                "student",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="repository_memberships",
                    to="grading.enrollment",
                ),
            ),
            (
                "user",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            (
                "repository",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="members",
                    to="grading.studentrepository",
                ),
            ),
        ],
        options={
            "ordering": ["pk"],
            "constraints": [
                models.UniqueConstraint(
                    fields=("repository", "student"), name="repository_member_once"
                ),
                models.CheckConstraint(
                    condition=models.Q(("state__in", ["waiting", "invited", "accepted", "failed"])),
                    name="collaborator_state_known",
                ),
            ],
        },
    ),
]


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        # No table refers to these. They come first because Django renders again, at each change of
        # a table, all models that are connected with it through the user: ours would be among them.
        ("admin", "0003_logentry_add_action_flag_choices"),
        ("mfa", "0003_authenticator_type_uniq"),
        ("socialaccount", "0006_alter_socialaccount_extra_data"),
    ]

    operations = [CreateTables(state_operations=MODELS)]
