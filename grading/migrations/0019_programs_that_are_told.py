"""Webhooks and what they are told; the reconciler asks over all organizations what waits."""

import uuid

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from grading.core.rls.policies import ERRAND, behind_the_wall, door


class Migration(migrations.Migration):
    dependencies = [
        ("grading", "0018_keys_of_programs_that_hand_in"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
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
            options={
                "ordering": ["-created_at", "-pk"],
            },
        ),
        migrations.CreateModel(
            name="WebhookDelivery",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
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
                        choices=[("waiting", "Waiting"), ("delivered", "Delivered"), ("failed", "Failed")],
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
                        condition=models.Q(("state", "waiting")), fields=["next_at"], name="delivery_waiting"
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
                            models.Q(("ended_at__isnull", False), ("state__in", ("delivered", "failed"))),
                            _connector="OR",
                        ),
                        name="delivery_ended_has_a_time",
                    ),
                ],
            },
        ),
        behind_the_wall("grading_webhook"),
        behind_the_wall("grading_webhookdelivery"),
        door("webhooks", "grading_webhookdelivery", f"{ERRAND} = 'dispatch' AND state = 'waiting'"),
    ]
