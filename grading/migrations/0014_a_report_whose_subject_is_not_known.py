import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """A report that was generated, and fits none of its author's pairings, is about somebody that nobody here knows."""

    dependencies = [("grading", "0013_peers_and_findings_that_keep_their_identity")]

    operations = [
        migrations.AlterField(
            model_name="feedbackreport",
            name="subject",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="feedback_received",
                to="grading.enrollment",
            ),
        ),
        migrations.AddConstraint(
            model_name="feedbackreport",
            constraint=models.CheckConstraint(
                condition=models.Q(("author__isnull", False), ("subject__isnull", False), _connector="OR"),
                name="feedback_of_somebody",
            ),
        ),
    ]
