"""When a letter was last tried, and which organizations have letters that wait: the reconciler asks over all of them."""

from django.db import migrations, models

from grading.core.rls.policies import ERRAND, door


class Migration(migrations.Migration):
    dependencies = [("grading", "0007_grades_that_changed_since_their_release")]

    operations = [
        migrations.AddField(
            model_name="notice", name="tried_at", field=models.DateTimeField(blank=True, null=True)
        ),
        door("letters", "grading_notice", f"{ERRAND} = 'dispatch' AND sent_at IS NULL"),
    ]
