from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('grading', '0007_time_zones'),
    ]

    operations = [
        migrations.AddField(
            model_name='audit',
            name='grace_until',
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
