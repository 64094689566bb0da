"""When students opened what they were told, what they report as abusive, which findings helped, and two kinds of letters."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from grading.core.rls.policies import behind_the_wall


class Migration(migrations.Migration):
    dependencies = [
        ("grading", "0019_programs_that_are_told"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
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
            ],
            options={
                "ordering": ["made_at", "pk"],
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
            ],
            options={
                "ordering": ["pk"],
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
            ],
            options={
                "ordering": ["pk"],
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
            model_name="feedbackreport",
            name="hidden_at",
            field=models.DateTimeField(blank=True, null=True),
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
                    ("handed_in", "A hand-in of mine was received"),
                    ("complaint", "Something was reported as abusive, or mine was answered"),
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
                    ("handed_in", "A hand-in of mine was received"),
                    ("complaint", "Something was reported as abusive, or mine was answered"),
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
                        [
                            "released",
                            "appeal_answered",
                            "audit_failed",
                            "report_received",
                            "peer_reminder",
                            "handed_in",
                            "complaint",
                        ],
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
                        [
                            "released",
                            "appeal_answered",
                            "audit_failed",
                            "report_received",
                            "peer_reminder",
                            "handed_in",
                            "complaint",
                        ],
                    )
                ),
                name="opt_out_kind_known",
            ),
        ),
        migrations.AddField(
            model_name="complaint",
            name="decided_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="complaint",
            name="organization",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="grading.organization"
            ),
        ),
        migrations.AddField(
            model_name="complaint",
            name="report",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="complaints",
                to="grading.feedbackreport",
            ),
        ),
        migrations.AddField(
            model_name="complaint",
            name="student",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="grading.enrollment"
            ),
        ),
        migrations.AddField(
            model_name="findinghelp",
            name="finding",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE, related_name="help", to="grading.finding"
            ),
        ),
        migrations.AddField(
            model_name="findinghelp",
            name="organization",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="grading.organization"
            ),
        ),
        migrations.AddField(
            model_name="opening",
            name="organization",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="grading.organization"
            ),
        ),
        migrations.AddField(
            model_name="opening",
            name="student",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="grading.enrollment"
            ),
        ),
        migrations.AddConstraint(
            model_name="complaint",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "open")),
                fields=("report",),
                name="one_open_complaint_on_a_report",
            ),
        ),
        migrations.AddConstraint(
            model_name="complaint",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["open", "hidden", "dismissed"])),
                name="complaint_state_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="complaint",
            constraint=models.CheckConstraint(
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
        ),
        migrations.AddConstraint(
            model_name="opening",
            constraint=models.UniqueConstraint(fields=("student", "kind", "about"), name="opened_last_once"),
        ),
        migrations.AddConstraint(
            model_name="opening",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["report", "appeal", "answers"])), name="opening_kind_known"
            ),
        ),
        behind_the_wall("grading_complaint"),
        behind_the_wall("grading_findinghelp"),
        behind_the_wall("grading_opening"),
    ]
