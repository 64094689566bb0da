from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("grading", "0008_letters_that_wait")]

    operations = [
        migrations.AddField(
            model_name="appeal", name="escalated_at", field=models.DateTimeField(blank=True, null=True)
        ),
        migrations.AddConstraint(
            model_name="appeal",
            constraint=models.CheckConstraint(
                condition=~Q(state="escalated") | Q(escalated_at__isnull=False),
                name="appeal_escalated_has_a_time",
            ),
        ),
    ]
