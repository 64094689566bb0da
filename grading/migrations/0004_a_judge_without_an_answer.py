from django.db import migrations, models
from django.db.models import Q

SCORED = "opinion_score_1_to_5"


class Migration(migrations.Migration):
    dependencies = [("grading", "0003_walls_between_organizations")]

    operations = [
        migrations.RemoveConstraint(model_name="opinionrecord", name=SCORED),
        migrations.AlterField(
            model_name="opinionrecord",
            name="score",
            field=models.PositiveSmallIntegerField(blank=True, null=True),
        ),
        migrations.AddConstraint(
            model_name="opinionrecord",
            constraint=models.CheckConstraint(
                condition=Q(score__isnull=True) | Q(score__gte=1, score__lte=5), name=SCORED
            ),
        ),
    ]
