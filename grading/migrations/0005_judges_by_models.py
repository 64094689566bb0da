import django.core.validators
import django.db.models.deletion
from django.db import migrations, models

from grading.core.rls.policies import behind_the_wall


class Migration(migrations.Migration):

    dependencies = [
        ('grading', '0004_a_judge_without_an_answer'),
    ]

    operations = [
        migrations.AddField(
            model_name='audit',
            name='budget_usd',
            field=models.DecimalField(blank=True, decimal_places=8, max_digits=14, null=True),
        ),
        migrations.CreateModel(
            name='ModelUsage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('judge', models.CharField(max_length=12)),
                ('criterion_id', models.CharField(max_length=200)),
                ('round', models.PositiveSmallIntegerField()),
                ('model', models.CharField(max_length=200)),
                ('calls', models.PositiveIntegerField()),
                ('prompt_tokens', models.PositiveIntegerField()),
                ('cached_tokens', models.PositiveIntegerField()),
                ('completion_tokens', models.PositiveIntegerField()),
                ('cost_usd', models.DecimalField(blank=True, decimal_places=8, max_digits=14, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('audit', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='model_usage', to='grading.audit')),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='grading.organization')),
            ],
            options={
                'verbose_name_plural': 'model usage',
                'ordering': ['pk'],
                'indexes': [models.Index(fields=['organization', 'created_at'], name='usage_of_a_month')],
            },
        ),
        migrations.CreateModel(
            name='OrganizationBench',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('prosecutor_model', models.CharField(blank=True, max_length=200)),
                ('defense_model', models.CharField(blank=True, max_length=200)),
                ('tech_lead_model', models.CharField(blank=True, max_length=200)),
                ('base_url', models.CharField(blank=True, max_length=200, validators=[django.core.validators.URLValidator(schemes=['https', 'http'])], verbose_name='base URL')),
                ('sealed_key', models.TextField(blank=True, editable=False)),
                ('batch', models.CharField(choices=[('per_criterion', 'One call for each judge and criterion'), ('per_judge', 'One call of each judge for all criteria')], default='per_criterion', max_length=13)),
                ('debate', models.BooleanField(default=False)),
                ('audit_budget_usd', models.DecimalField(blank=True, decimal_places=4, max_digits=10, null=True, validators=[django.core.validators.MinValueValidator(0)])),
                ('monthly_budget_usd', models.DecimalField(blank=True, decimal_places=4, max_digits=12, null=True, validators=[django.core.validators.MinValueValidator(0)])),
                ('changed_at', models.DateTimeField(auto_now=True)),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='grading.organization')),
            ],
            options={
                'verbose_name_plural': 'organization benches',
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(fields=('organization',), name='one_bench_per_organization'), models.CheckConstraint(condition=models.Q(('batch__in', ['per_criterion', 'per_judge'])), name='bench_batch_known'), models.CheckConstraint(condition=models.Q(('monthly_budget_usd__isnull', True), ('audit_budget_usd__isnull', False), _connector='OR'), name='bench_month_needs_audit_budget')],
            },
        ),
        behind_the_wall('grading_modelusage'),
        behind_the_wall('grading_organizationbench'),
    ]
