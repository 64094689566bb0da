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
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("approved_at", models.DateTimeField(blank=True, null=True, verbose_name="approved")),
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
            (
                "user",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="memberships",
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
            ("email", models.EmailField(blank=True, editable=False, max_length=254)),
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
            ("name", models.CharField(max_length=200)),
            ("slug", models.SlugField(max_length=80)),
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
            ("note", models.CharField(blank=True, max_length=300)),
            ("digest", models.CharField(blank=True, max_length=64)),
            ("published_at", models.DateTimeField(blank=True, null=True)),
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
            ("name", models.CharField(max_length=120)),
            ("slug", models.SlugField(max_length=60)),
            ("starts_on", models.DateField(blank=True, null=True)),
            ("ends_on", models.DateField(blank=True, null=True)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            ("time_zone", models.CharField(default="UTC", max_length=64)),
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
            ("email", models.EmailField(max_length=254)),
            ("name", models.CharField(blank=True, max_length=200)),
            ("student_number", models.CharField(blank=True, max_length=64)),
            ("group", models.CharField(blank=True, max_length=60)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            (
                "cohort",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="enrollments",
                    to="grading.cohort",
                ),
            ),
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
            ("title", models.CharField(max_length=200)),
            ("slug", models.SlugField(max_length=60)),
            ("instructions", models.TextField(blank=True)),
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
            ("created_at", models.DateTimeField(auto_now_add=True)),
            (
                "cohort",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="assignments",
                    to="grading.cohort",
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
                "rubric_version",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="assignments",
                    to="grading.rubricversion",
                ),
            ),
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
        ],
        options={
            "ordering": ["due_at", "title", "pk"],
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(("counting_policy__in", ["latest", "best", "chosen"])),
                    name="counting_policy_known",
                ),
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
                    condition=models.Q(("bench__in", ["heuristic", "llm"])),
                    name="assignment_bench_known",
                ),
                models.CheckConstraint(
                    condition=models.Q(("release_policy__in", ["provisional", "after_release"])),
                    name="release_policy_known",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="Submission",
        fields=[
            (
                "id",
                models.UUIDField(
                    default=uuid.uuid4, editable=False, primary_key=True, serialize=False
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
            ("late", models.BooleanField(default=False)),
            ("counts", models.BooleanField(default=True)),
            ("handed_in_at", models.DateTimeField()),
            (
                "assignment",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="submissions",
                    to="grading.assignment",
                ),
            ),
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
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
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
            ("verb", models.CharField(max_length=60)),
            ("object_type", models.CharField(max_length=40)),
            ("object_id", models.CharField(max_length=40)),
            ("detail", models.JSONField(default=dict)),
            ("at", models.DateTimeField(auto_now_add=True)),
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
            ("name", models.CharField(max_length=80)),
            ("prefix", models.CharField(max_length=12)),
            ("sha256", models.CharField(max_length=64, unique=True)),
            ("scopes", models.JSONField(default=list)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("expires_at", models.DateTimeField()),
            ("last_used_at", models.DateTimeField(blank=True, null=True)),
            ("revoked_at", models.DateTimeField(blank=True, null=True)),
            (
                "user",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="api_tokens",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
        ],
        options={"ordering": ["-created_at", "-pk"]},
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
            ("criterion_id", models.CharField(max_length=200)),
            ("score", models.PositiveSmallIntegerField()),
            ("graded_at", models.DateTimeField(auto_now=True)),
            ("sealed", models.BooleanField(default=False)),
            (
                "graded_by",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
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
                "submission",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="blind_grades",
                    to="grading.submission",
                ),
            ),
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
        name="BlindSample",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            ("seed", models.PositiveIntegerField()),
            ("submissions", models.JSONField()),
            ("drawn_at", models.DateTimeField(auto_now_add=True)),
            (
                "assignment",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="blind_samples",
                    to="grading.assignment",
                ),
            ),
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
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
        ],
        options={"ordering": ["-drawn_at", "-pk"]},
    ),
    migrations.CreateModel(
        name="BulkRun",
        fields=[
            (
                "id",
                models.UUIDField(
                    default=uuid.uuid4, editable=False, primary_key=True, serialize=False
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
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("finished_at", models.DateTimeField(blank=True, null=True)),
            (
                "assignment",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="bulk_runs",
                    to="grading.assignment",
                ),
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
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
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
        name="Audit",
        fields=[
            (
                "id",
                models.UUIDField(
                    default=uuid.uuid4, editable=False, primary_key=True, serialize=False
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
            ("report", models.JSONField(blank=True, null=True)),
            ("report_digest", models.CharField(blank=True, max_length=64)),
            ("overall_score", models.FloatField(blank=True, null=True)),
            (
                "budget_usd",
                models.DecimalField(blank=True, decimal_places=8, max_digits=14, null=True),
            ),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("queued_at", models.DateTimeField(blank=True, null=True)),
            ("started_at", models.DateTimeField(blank=True, null=True)),
            ("finished_at", models.DateTimeField(blank=True, null=True)),
            ("version", models.PositiveIntegerField(default=1)),
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
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
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
                "submission",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="audits",
                    to="grading.submission",
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
            ("screening", models.JSONField(blank=True, null=True)),
            ("grace_until", models.DateTimeField(blank=True, null=True)),
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
                    condition=models.Q(("report__isnull", False)),
                    fields=["organization", "-finished_at"],
                    name="audit_reported",
                ),
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
            ("escalated_at", models.DateTimeField(blank=True, null=True)),
            ("answer", models.TextField(blank=True)),
            ("new_score", models.PositiveSmallIntegerField(blank=True, null=True)),
            ("filed_at", models.DateTimeField(auto_now_add=True)),
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
            ("position", models.PositiveIntegerField()),
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
                "run",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="items",
                    to="grading.bulkrun",
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
                    related_name="+",
                    to="grading.submission",
                ),
            ),
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
            ("position", models.PositiveSmallIntegerField()),
            ("criterion_id", models.CharField(max_length=200)),
            ("name", models.CharField(max_length=300)),
            ("score", models.PositiveSmallIntegerField(blank=True, null=True)),
            ("level", models.CharField(blank=True, max_length=200)),
            ("points", models.FloatField(blank=True, null=True)),
            ("max_points", models.FloatField(blank=True, null=True)),
            ("needs_review", models.BooleanField(default=False)),
            ("excluded", models.BooleanField(default=False)),
            (
                "audit",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="verdicts",
                    to="grading.audit",
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
            ("key", models.CharField(max_length=40)),
            ("detective", models.CharField(max_length=20)),
            ("check_id", models.CharField(max_length=200)),
            ("found", models.BooleanField()),
            ("path", models.TextField(blank=True)),
            ("line_start", models.PositiveIntegerField(blank=True, null=True)),
            ("document", models.JSONField()),
            (
                "audit",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="evidence_records",
                    to="grading.audit",
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
                models.UniqueConstraint(fields=("audit", "key"), name="evidence_once_per_audit")
            ],
        },
    ),
    migrations.CreateModel(
        name="Finding",
        fields=[
            (
                "id",
                models.UUIDField(
                    default=uuid.uuid4, editable=False, primary_key=True, serialize=False
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
            ("fixed_commit", models.CharField(blank=True, max_length=64)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("changed_at", models.DateTimeField(auto_now=True)),
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
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
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
                "fixed_submission",
                models.ForeignKey(
                    blank=True,
                    null=True,
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
            ("helpful", models.BooleanField()),
            ("said_at", models.DateTimeField()),
            (
                "finding",
                models.OneToOneField(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="help",
                    to="grading.finding",
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
        options={"ordering": ["pk"]},
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
            (
                "finding",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="responses",
                    to="grading.finding",
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
            ("pinned", models.BooleanField(default=False)),
            ("overall_score", models.FloatField(blank=True, null=True)),
            ("points_earned", models.FloatField(blank=True, null=True)),
            ("points_possible", models.FloatField(blank=True, null=True)),
            ("overridden", models.PositiveSmallIntegerField(default=0)),
            ("needs_review", models.BooleanField(default=False)),
            ("suspected", models.BooleanField(default=False)),
            ("unverified", models.BooleanField(default=False)),
            ("failed_judges", models.PositiveSmallIntegerField(default=0)),
            ("widest_spread", models.PositiveSmallIntegerField(default=0)),
            ("released", models.JSONField(blank=True, null=True)),
            ("released_at", models.DateTimeField(blank=True, null=True)),
            ("changed", models.BooleanField(default=False)),
            ("changed_at", models.DateTimeField(auto_now=True)),
            (
                "assignment",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="grades",
                    to="grading.assignment",
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
            (
                "student",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="grades",
                    to="grading.enrollment",
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
                "chosen",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to="grading.submission",
                ),
            ),
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
            ("key", models.CharField(max_length=200)),
            ("fingerprint", models.CharField(max_length=64)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            (
                "assignment",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="+",
                    to="grading.assignment",
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
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="+",
                    to="grading.submission",
                ),
            ),
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
            "verbose_name_plural": "model usage",
            "ordering": ["pk"],
            "indexes": [
                models.Index(fields=["organization", "created_at"], name="usage_of_a_month")
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
                    ],
                    default="invited",
                    editable=False,
                    max_length=8,
                ),
            ),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("answered_at", models.DateTimeField(blank=True, editable=False, null=True)),
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
                    blank=True,
                    editable=False,
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
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
                        ("state", "invited"),
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
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
                ),
            ),
            ("address", models.EmailField(blank=True, max_length=254)),
            ("held_at", models.DateTimeField(blank=True, null=True)),
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
                    ],
                    max_length=16,
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
                "kind",
                models.CharField(
                    choices=[
                        ("report", "The report on an attempt"),
                        ("appeal", "The answer to an appeal"),
                        ("answers", "The answers to a report on a peer"),
                    ],
                    max_length=8,
                ),
            ),
            ("about", models.CharField(max_length=36)),
            ("opened_at", models.DateTimeField()),
            (
                "student",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="+",
                    to="grading.enrollment",
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
                models.UniqueConstraint(
                    fields=("student", "kind", "about"), name="opened_last_once"
                ),
                models.CheckConstraint(
                    condition=models.Q(("kind__in", ["report", "appeal", "answers"])),
                    name="opening_kind_known",
                ),
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
            ("key", models.CharField(max_length=128)),
            ("judge", models.CharField(max_length=12)),
            ("criterion_id", models.CharField(max_length=200)),
            ("round", models.PositiveSmallIntegerField()),
            ("score", models.PositiveSmallIntegerField(blank=True, null=True)),
            ("document", models.JSONField()),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            (
                "audit",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="opinion_records",
                    to="grading.audit",
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
        name="OrganizationBench",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
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
        name="Override",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            ("criterion_id", models.CharField(max_length=200)),
            ("score", models.PositiveSmallIntegerField()),
            ("verdict_score", models.PositiveSmallIntegerField(blank=True, null=True)),
            ("reason", models.TextField()),
            ("made_at", models.DateTimeField(auto_now_add=True)),
            ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
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
                "submission",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="overrides",
                    to="grading.submission",
                ),
            ),
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
        name="PairingRound",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
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
            ("starts_at", models.DateTimeField()),
            ("ends_at", models.DateTimeField()),
            ("seed", models.CharField(max_length=64)),
            ("reminders_checked_at", models.DateTimeField(blank=True, null=True)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            (
                "assignment",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="rounds",
                    to="grading.assignment",
                ),
            ),
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
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
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
            ("people", models.JSONField()),
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
        ],
        options={"verbose_name_plural": "round identities"},
    ),
    migrations.CreateModel(
        name="Pairing",
        fields=[
            (
                "id",
                models.UUIDField(
                    default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                ),
            ),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("ended_at", models.DateTimeField(blank=True, null=True)),
            ("end_reason", models.CharField(blank=True, max_length=200)),
            (
                "auditee",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="audits_due",
                    to="grading.enrollment",
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
                "round",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="pairings",
                    to="grading.pairinground",
                ),
            ),
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
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
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
        name="FeedbackReport",
        fields=[
            (
                "id",
                models.UUIDField(
                    default=uuid.uuid4, editable=False, primary_key=True, serialize=False
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
            ("origin", models.CharField(blank=True, max_length=1024)),
            ("original", models.TextField(blank=True)),
            ("original_name", models.CharField(blank=True, max_length=255)),
            ("original_sha256", models.CharField(blank=True, max_length=64)),
            ("reading", models.JSONField(blank=True, null=True)),
            ("misfits", models.JSONField(blank=True, default=list)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("read_at", models.DateTimeField(blank=True, null=True)),
            ("hidden_at", models.DateTimeField(blank=True, null=True)),
            (
                "assignment",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="feedback_reports",
                    to="grading.assignment",
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
                "brought_by",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
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
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
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
                "submission",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="feedback_reports",
                    to="grading.submission",
                ),
            ),
            ("repository", models.CharField(blank=True, max_length=2000)),
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
                models.OneToOneField(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="edition",
                    to="grading.feedbackreport",
                ),
            ),
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
            (
                "student",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.enrollment",
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
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
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
            ("present", models.BooleanField()),
            ("lines", models.JSONField(blank=True, default=list)),
            ("text", models.TextField(blank=True)),
            ("action", models.TextField(blank=True)),
            ("priority", models.CharField(blank=True, max_length=6)),
            ("evidence", models.JSONField(blank=True, default=list)),
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
                "finding",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="sightings",
                    to="grading.finding",
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
                    related_name="sightings",
                    to="grading.submission",
                ),
            ),
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
        name="RoundMember",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            ("alias", models.CharField(max_length=40)),
            ("position", models.PositiveIntegerField()),
            ("joined_at", models.DateTimeField(auto_now_add=True)),
            ("left_at", models.DateTimeField(blank=True, null=True)),
            ("reminders", models.PositiveSmallIntegerField(default=0)),
            ("reminded_at", models.DateTimeField(blank=True, null=True)),
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
        name="SupersededReport",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            ("report", models.JSONField()),
            ("digest", models.CharField(max_length=64)),
            ("superseded_at", models.DateTimeField(auto_now_add=True)),
            (
                "audit",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="superseded_reports",
                    to="grading.audit",
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
                "rubric_version",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.rubricversion",
                ),
            ),
        ],
        options={
            "ordering": ["-superseded_at", "-pk"],
            "constraints": [
                models.UniqueConstraint(fields=("audit", "digest"), name="superseded_report_once")
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
            ("url", models.CharField(max_length=500)),
            ("sealed_secret", models.TextField(editable=False)),
            ("events", models.JSONField(default=list)),
            ("active", models.BooleanField(default=True)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
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
        options={"ordering": ["-created_at", "-pk"]},
    ),
    migrations.CreateModel(
        name="WebhookDelivery",
        fields=[
            (
                "id",
                models.UUIDField(
                    default=uuid.uuid4, editable=False, primary_key=True, serialize=False
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
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="grading.organization",
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
        name="PersonalCalendar",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            ("time_zone", models.CharField(blank=True, max_length=64)),
            ("sha256", models.CharField(blank=True, max_length=64, null=True, unique=True)),
            ("made_at", models.DateTimeField(blank=True, null=True)),
            (
                "user",
                models.OneToOneField(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="calendar",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
        ],
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
            ("files", models.JSONField(blank=True, null=True)),
            ("pages", models.PositiveIntegerField(blank=True, null=True)),
            ("sources", models.BinaryField(blank=True, null=True)),
            (
                "audit",
                models.OneToOneField(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="contents",
                    to="grading.audit",
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
        options={"ordering": ["pk"]},
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
