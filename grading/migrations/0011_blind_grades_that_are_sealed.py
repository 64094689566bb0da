from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("grading", "0010_each_attempt_of_a_bulk_run")]

    operations = [
        migrations.AddField(
            model_name="blindgrade",
            name="sealed",
            field=models.BooleanField(default=False),
        ),
    ]
