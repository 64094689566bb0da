import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("grading", "0011_blind_grades_that_are_sealed")]

    operations = [
        migrations.AlterField(
            model_name="modelusage",
            name="audit",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="model_usage",
                to="grading.audit",
            ),
        ),
    ]
