from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("grading", "0006_grades_appeals_and_bulk_runs")]

    operations = [
        migrations.AddField(
            model_name="grade",
            name="changed",
            field=models.BooleanField(default=False),
        ),
    ]
