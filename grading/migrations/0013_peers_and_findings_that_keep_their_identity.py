"""Rounds of peers, their reports, and findings with their answers; the reconciler asks over all organizations which
rounds run and which fixes wait to be verified."""

import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from grading.core.rls.policies import ERRAND, behind_the_wall, door


class Migration(migrations.Migration):
    dependencies = [
        ("grading", "0012_what_was_spent_stays_spent"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
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
                        choices=[("progress", "Progress"), ("blocker", "Blocker"), ("design", "Design note")],
                        max_length=8,
                    ),
                ),
                ("text", models.TextField()),
                ("posted_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "verbose_name_plural": "communication entries",
                "ordering": ["-posted_at", "-pk"],
            },
        ),
        migrations.CreateModel(
            name="FeedbackReport",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("self", "On one's own work"), ("peer", "On a peer's work")], max_length=8
                    ),
                ),
                (
                    "source",
                    models.CharField(
                        choices=[("platform", "This site's courtroom"), ("imported", "Imported, unsigned")],
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
            ],
            options={
                "ordering": ["-created_at", "pk"],
            },
        ),
        migrations.CreateModel(
            name="Finding",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
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
            ],
            options={
                "ordering": ["criterion_id", "place", "pk"],
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
                    "kind",
                    models.CharField(
                        choices=[
                            ("fixed", "Fixed"),
                            ("will_fix", "Will be fixed"),
                            ("deferred", "Deferred"),
                            ("contested", "Contested"),
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
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="Pairing",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("end_reason", models.CharField(blank=True, max_length=200)),
            ],
            options={
                "ordering": ["created_at", "pk"],
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
                            ("open", "Open: both know each other"),
                            ("single_blind", "Single-blind: the audited do not learn who audited them"),
                            ("double_blind", "Double-blind: neither knows the other"),
                        ],
                        default="double_blind",
                        max_length=14,
                    ),
                ),
                ("starts_at", models.DateTimeField()),
                ("ends_at", models.DateTimeField()),
                ("seed", models.CharField(max_length=64)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["assignment", "number"],
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
            ],
            options={
                "ordering": ["round", "position"],
            },
        ),
        migrations.RemoveConstraint(
            model_name="notice",
            name="notice_kind_known",
        ),
        migrations.RemoveConstraint(
            model_name="noticeoptout",
            name="opt_out_kind_known",
        ),
        migrations.AddField(
            model_name="enrollment",
            name="group",
            field=models.CharField(blank=True, max_length=60),
        ),
        migrations.AlterField(
            model_name="notice",
            name="kind",
            field=models.CharField(
                choices=[
                    ("released", "A grade of mine was released or changed"),
                    ("appeal_answered", "An appeal of mine was answered"),
                    ("audit_failed", "An audit of mine failed"),
                    ("report_received", "A peer's report on my work arrived"),
                    ("peer_reminder", "I owe a report or an answer in a round of peers"),
                ],
                max_length=16,
            ),
        ),
        migrations.AlterField(
            model_name="noticeoptout",
            name="kind",
            field=models.CharField(
                choices=[
                    ("released", "A grade of mine was released or changed"),
                    ("appeal_answered", "An appeal of mine was answered"),
                    ("audit_failed", "An audit of mine failed"),
                    ("report_received", "A peer's report on my work arrived"),
                    ("peer_reminder", "I owe a report or an answer in a round of peers"),
                ],
                max_length=16,
            ),
        ),
        migrations.AddConstraint(
            model_name="notice",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "kind__in",
                        ["released", "appeal_answered", "audit_failed", "report_received", "peer_reminder"],
                    )
                ),
                name="notice_kind_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="noticeoptout",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "kind__in",
                        ["released", "appeal_answered", "audit_failed", "report_received", "peer_reminder"],
                    )
                ),
                name="opt_out_kind_known",
            ),
        ),
        migrations.AddField(
            model_name="communicationentry",
            name="assignment",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="communication",
                to="grading.assignment",
            ),
        ),
        migrations.AddField(
            model_name="communicationentry",
            name="organization",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="grading.organization"
            ),
        ),
        migrations.AddField(
            model_name="communicationentry",
            name="student",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="communication",
                to="grading.enrollment",
            ),
        ),
        migrations.AddField(
            model_name="feedbackreport",
            name="assignment",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="feedback_reports",
                to="grading.assignment",
            ),
        ),
        migrations.AddField(
            model_name="feedbackreport",
            name="audit",
            field=models.OneToOneField(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="feedback_report",
                to="grading.audit",
            ),
        ),
        migrations.AddField(
            model_name="feedbackreport",
            name="author",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="feedback_given",
                to="grading.enrollment",
            ),
        ),
        migrations.AddField(
            model_name="feedbackreport",
            name="brought_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="grading.enrollment",
            ),
        ),
        migrations.AddField(
            model_name="feedbackreport",
            name="organization",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="grading.organization"
            ),
        ),
        migrations.AddField(
            model_name="feedbackreport",
            name="subject",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="feedback_received",
                to="grading.enrollment",
            ),
        ),
        migrations.AddField(
            model_name="feedbackreport",
            name="submission",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="feedback_reports",
                to="grading.submission",
            ),
        ),
        migrations.AddField(
            model_name="finding",
            name="assignment",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="findings", to="grading.assignment"
            ),
        ),
        migrations.AddField(
            model_name="finding",
            name="first_submission",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="grading.submission"
            ),
        ),
        migrations.AddField(
            model_name="finding",
            name="fixed_submission",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="grading.submission",
            ),
        ),
        migrations.AddField(
            model_name="finding",
            name="last_submission",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="grading.submission"
            ),
        ),
        migrations.AddField(
            model_name="finding",
            name="organization",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="grading.organization"
            ),
        ),
        migrations.AddField(
            model_name="finding",
            name="student",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="findings", to="grading.enrollment"
            ),
        ),
        migrations.AddField(
            model_name="findingresponse",
            name="finding",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="responses", to="grading.finding"
            ),
        ),
        migrations.AddField(
            model_name="findingresponse",
            name="organization",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="grading.organization"
            ),
        ),
        migrations.AddField(
            model_name="findingsighting",
            name="audit",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="sightings",
                to="grading.audit",
            ),
        ),
        migrations.AddField(
            model_name="findingsighting",
            name="finding",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="sightings", to="grading.finding"
            ),
        ),
        migrations.AddField(
            model_name="findingsighting",
            name="organization",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="grading.organization"
            ),
        ),
        migrations.AddField(
            model_name="findingsighting",
            name="report",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="sightings",
                to="grading.feedbackreport",
            ),
        ),
        migrations.AddField(
            model_name="findingsighting",
            name="submission",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="sightings", to="grading.submission"
            ),
        ),
        migrations.AddField(
            model_name="pairing",
            name="auditee",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="audits_due",
                to="grading.enrollment",
            ),
        ),
        migrations.AddField(
            model_name="pairing",
            name="auditor",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="audits_owed",
                to="grading.enrollment",
            ),
        ),
        migrations.AddField(
            model_name="pairing",
            name="made_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="pairing",
            name="organization",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="grading.organization"
            ),
        ),
        migrations.AddField(
            model_name="feedbackreport",
            name="pairing",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="reports",
                to="grading.pairing",
            ),
        ),
        migrations.AddField(
            model_name="communicationentry",
            name="pairing",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="communication",
                to="grading.pairing",
            ),
        ),
        migrations.AddField(
            model_name="pairinground",
            name="assignment",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="rounds", to="grading.assignment"
            ),
        ),
        migrations.AddField(
            model_name="pairinground",
            name="created_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="pairinground",
            name="organization",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="grading.organization"
            ),
        ),
        migrations.AddField(
            model_name="pairinground",
            name="rubric_version",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="grading.rubricversion",
            ),
        ),
        migrations.AddField(
            model_name="pairing",
            name="round",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="pairings",
                to="grading.pairinground",
            ),
        ),
        migrations.AddField(
            model_name="roundmember",
            name="organization",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="grading.organization"
            ),
        ),
        migrations.AddField(
            model_name="roundmember",
            name="round",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="members", to="grading.pairinground"
            ),
        ),
        migrations.AddField(
            model_name="roundmember",
            name="student",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="round_places",
                to="grading.enrollment",
            ),
        ),
        migrations.AddConstraint(
            model_name="finding",
            constraint=models.UniqueConstraint(fields=("assignment", "student", "key"), name="finding_once"),
        ),
        migrations.AddConstraint(
            model_name="finding",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["open", "fixed", "regressed"])), name="finding_state_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="finding",
            constraint=models.CheckConstraint(
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
        ),
        migrations.AddConstraint(
            model_name="findingresponse",
            constraint=models.UniqueConstraint(
                condition=models.Q(("replaced_at", None)), fields=("finding",), name="one_answer_to_a_finding"
            ),
        ),
        migrations.AddConstraint(
            model_name="findingresponse",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["fixed", "will_fix", "deferred", "contested"])),
                name="response_kind_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="findingresponse",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "fixed"), models.Q(("commit", ""), _negated=True)),
                    models.Q(("commit", ""), ("kind", "will_fix")),
                    models.Q(
                        ("commit", ""),
                        ("kind__in", ("deferred", "contested")),
                        models.Q(("reason", ""), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="response_says_what_it_must",
            ),
        ),
        migrations.AddConstraint(
            model_name="findingsighting",
            constraint=models.UniqueConstraint(
                condition=models.Q(("audit__isnull", False)),
                fields=("finding", "audit"),
                name="sighted_once_by_an_audit",
            ),
        ),
        migrations.AddConstraint(
            model_name="findingsighting",
            constraint=models.UniqueConstraint(
                condition=models.Q(("report__isnull", False)),
                fields=("finding", "report"),
                name="sighted_once_by_a_report",
            ),
        ),
        migrations.AddConstraint(
            model_name="findingsighting",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("audit__isnull", False), ("report", None)),
                    models.Q(("audit", None), ("present", True), ("report__isnull", False)),
                    _connector="OR",
                ),
                name="sighted_by_one",
            ),
        ),
        migrations.AddConstraint(
            model_name="feedbackreport",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["self", "peer"])), name="feedback_kind_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="feedbackreport",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("audit__isnull", False), ("original", ""), ("reading", None), ("source", "platform")
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
        ),
        migrations.AddConstraint(
            model_name="feedbackreport",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("author", models.F("subject")), ("kind", "self"), ("pairing", None)),
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
        ),
        migrations.AddConstraint(
            model_name="feedbackreport",
            constraint=models.UniqueConstraint(
                condition=models.Q(("source", "imported")),
                fields=("assignment", "brought_by", "kind", "original_sha256", "pairing"),
                name="feedback_imported_once",
                nulls_distinct=False,
            ),
        ),
        migrations.AddConstraint(
            model_name="communicationentry",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["progress", "blocker", "design"])), name="entry_kind_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="communicationentry",
            constraint=models.CheckConstraint(
                condition=models.Q(("text", ""), _negated=True), name="entry_says_something"
            ),
        ),
        migrations.AddConstraint(
            model_name="pairinground",
            constraint=models.UniqueConstraint(fields=("assignment", "number"), name="round_number_once"),
        ),
        migrations.AddConstraint(
            model_name="pairinground",
            constraint=models.CheckConstraint(
                condition=models.Q(("peers__gte", 1), ("peers__lte", 5)), name="round_of_1_to_5_peers"
            ),
        ),
        migrations.AddConstraint(
            model_name="pairinground",
            constraint=models.CheckConstraint(
                condition=models.Q(("ends_at__gt", models.F("starts_at"))), name="round_ends_after_start"
            ),
        ),
        migrations.AddConstraint(
            model_name="pairinground",
            constraint=models.CheckConstraint(
                condition=models.Q(("anonymity__in", ["open", "single_blind", "double_blind"])),
                name="round_anonymity_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="pairing",
            constraint=models.UniqueConstraint(
                condition=models.Q(("ended_at", None)),
                fields=("round", "auditor", "auditee"),
                name="paired_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="pairing",
            constraint=models.CheckConstraint(
                condition=models.Q(("auditor", models.F("auditee")), _negated=True),
                name="nobody_is_their_own_peer",
            ),
        ),
        migrations.AddConstraint(
            model_name="roundmember",
            constraint=models.UniqueConstraint(fields=("round", "student"), name="once_in_a_round"),
        ),
        migrations.AddConstraint(
            model_name="roundmember",
            constraint=models.UniqueConstraint(fields=("round", "alias"), name="alias_once_in_a_round"),
        ),
        migrations.AddConstraint(
            model_name="roundmember",
            constraint=models.UniqueConstraint(fields=("round", "position"), name="place_once_in_a_round"),
        ),
        behind_the_wall("grading_pairinground"),
        behind_the_wall("grading_roundmember"),
        behind_the_wall("grading_pairing"),
        behind_the_wall("grading_feedbackreport"),
        behind_the_wall("grading_communicationentry"),
        behind_the_wall("grading_finding"),
        behind_the_wall("grading_findingsighting"),
        behind_the_wall("grading_findingresponse"),
        door("rounds", "grading_pairinground", f"{ERRAND} = 'dispatch'"),
        door(
            "fixes_to_verify",
            "grading_findingresponse",
            f"{ERRAND} = 'dispatch' AND kind = 'fixed' AND verified IS NULL AND replaced_at IS NULL",
        ),
    ]
