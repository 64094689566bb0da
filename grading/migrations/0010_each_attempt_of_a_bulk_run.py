"""What a bulk run does to each attempt, and which runs go on: the reconciler asks over all organizations."""

import django.db.models.deletion
from django.db import migrations, models

from grading.core.rls.policies import ERRAND, behind_the_wall, door


class Migration(migrations.Migration):

    dependencies = [
        ('grading', '0009_appeals_that_were_escalated'),
    ]

    operations = [
        migrations.CreateModel(
            name='BulkItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveIntegerField()),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('done', 'Done'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='waiting', max_length=10)),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('score_before', models.FloatField(blank=True, null=True)),
                ('score_after', models.FloatField(blank=True, null=True)),
                ('criteria_changed', models.PositiveSmallIntegerField(default=0)),
                ('changed', models.BooleanField(default=False)),
                ('code', models.CharField(blank=True, max_length=60)),
                ('message', models.TextField(blank=True)),
                ('audit', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='grading.audit')),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='grading.organization')),
                ('renewed', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='bulk_item', to='grading.audit')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='items', to='grading.bulkrun')),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='grading.submission')),
            ],
            options={
                'ordering': ['run', 'position'],
                'constraints': [models.UniqueConstraint(fields=('run', 'position'), name='bulk_item_place_once'), models.UniqueConstraint(fields=('run', 'submission'), name='bulk_item_once_per_attempt'), models.CheckConstraint(condition=models.Q(('state__in', ['waiting', 'done', 'failed', 'cancelled'])), name='bulk_item_state_known'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'failed'), models.Q(('code', ''), _negated=True)), models.Q(models.Q(('state', 'failed'), _negated=True), ('code', '')), _connector='OR'), name='bulk_item_failure_has_a_code')],
            },
        ),
        behind_the_wall("grading_bulkitem"),
        door("bulk_runs", "grading_bulkrun", f"{ERRAND} = 'dispatch' AND state = 'running'"),
    ]
