import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models

from grading.core.rls.policies import behind_the_wall


# The forced policies bind the tables' owner as well: for this one statement they do not.
UNDER_THE_ASSIGNMENTS_RUBRIC = """
ALTER TABLE grading_audit NO FORCE ROW LEVEL SECURITY;
ALTER TABLE grading_submission NO FORCE ROW LEVEL SECURITY;
ALTER TABLE grading_assignment NO FORCE ROW LEVEL SECURITY;
UPDATE grading_audit SET rubric_version_id = a.rubric_version_id
    FROM grading_submission s JOIN grading_assignment a ON a.id = s.assignment_id
    WHERE s.id = grading_audit.submission_id;
SET CONSTRAINTS ALL IMMEDIATE;
ALTER TABLE grading_audit FORCE ROW LEVEL SECURITY;
ALTER TABLE grading_submission FORCE ROW LEVEL SECURITY;
ALTER TABLE grading_assignment FORCE ROW LEVEL SECURITY;
"""
TABLES = (
    "appeal", "blindgrade", "blindsample", "bulkrun", "grade", "notice", "noticeoptout", "override", "supersededreport",
)


class Migration(migrations.Migration):

    dependencies = [
        ('grading', '0005_judges_by_models'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='activity',
            name='cohort',
            field=models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='grading.cohort'),
        ),
        migrations.AddField(
            model_name='assignment',
            name='appeal_days',
            field=models.PositiveSmallIntegerField(default=7),
        ),
        migrations.AddField(
            model_name='assignment',
            name='max_appeals',
            field=models.PositiveSmallIntegerField(default=3),
        ),
        migrations.AddField(
            model_name='assignment',
            name='release_policy',
            field=models.CharField(choices=[('provisional', 'The whole report, marked as provisional'), ('after_release', 'Nothing but that it was judged')], default='provisional', max_length=14),
        ),
        migrations.AddField(
            model_name='audit',
            name='criteria',
            field=models.JSONField(blank=True, default=list),
        ),
        migrations.AddField(
            model_name='audit',
            name='renewal',
            field=models.CharField(choices=[('missing', 'Only what is missing'), ('opinions', 'The opinions'), ('everything', 'Everything')], default='missing', max_length=10),
        ),
        migrations.AddField(
            model_name='audit',
            name='rubric_version',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='audits', to='grading.rubricversion'),
        ),
        migrations.AddField(
            model_name='rubricversion',
            name='based_on',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='grading.rubricversion'),
        ),
        migrations.AddField(
            model_name='rubricversion',
            name='note',
            field=models.CharField(blank=True, max_length=300),
        ),
        migrations.CreateModel(
            name='BulkRun',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('verb', models.CharField(choices=[('resynthesise', 'Re-synthesise'), ('rejudge', 'Re-judge'), ('reaudit', 'Re-audit')], max_length=12)),
                ('state', models.CharField(choices=[('running', 'Running'), ('done', 'Done'), ('cancelled', 'Cancelled')], default='running', max_length=10)),
                ('total', models.PositiveIntegerField()),
                ('done', models.PositiveIntegerField(default=0)),
                ('failed', models.PositiveIntegerField(default=0)),
                ('changed', models.PositiveIntegerField(default=0)),
                ('estimate_usd', models.DecimalField(blank=True, decimal_places=8, max_digits=14, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='bulk_runs', to='grading.assignment')),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='grading.organization')),
                ('rubric_version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='grading.rubricversion')),
                ('started_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-created_at', 'pk'],
                'constraints': [models.CheckConstraint(condition=models.Q(('verb__in', ['resynthesise', 'rejudge', 'reaudit'])), name='bulk_verb_known'), models.CheckConstraint(condition=models.Q(('state__in', ['running', 'done', 'cancelled'])), name='bulk_state_known'), models.CheckConstraint(condition=models.Q(('changed__lte', models.F('done')), ('done__lte', models.F('total')), ('failed__lte', models.F('done'))), name='bulk_counts_fit'), models.CheckConstraint(condition=models.Q(models.Q(('finished_at', None), ('state', 'running')), models.Q(models.Q(('state', 'running'), _negated=True), ('finished_at__isnull', False)), _connector='OR'), name='bulk_finished_has_a_time'), models.UniqueConstraint(condition=models.Q(('state', 'running')), fields=('assignment',), name='one_bulk_run_at_a_time')],
            },
        ),
        migrations.CreateModel(
            name='Grade',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('pinned', models.BooleanField(default=False)),
                ('overall_score', models.FloatField(blank=True, null=True)),
                ('points_earned', models.FloatField(blank=True, null=True)),
                ('points_possible', models.FloatField(blank=True, null=True)),
                ('overridden', models.PositiveSmallIntegerField(default=0)),
                ('needs_review', models.BooleanField(default=False)),
                ('suspected', models.BooleanField(default=False)),
                ('failed_judges', models.PositiveSmallIntegerField(default=0)),
                ('widest_spread', models.PositiveSmallIntegerField(default=0)),
                ('released', models.JSONField(blank=True, null=True)),
                ('released_at', models.DateTimeField(blank=True, null=True)),
                ('changed_at', models.DateTimeField(auto_now=True)),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='grades', to='grading.assignment')),
                ('audit', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='grading.audit')),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='grading.organization')),
                ('released_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('student', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='grades', to='grading.enrollment')),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(fields=('assignment', 'student'), name='one_grade_per_student'), models.CheckConstraint(condition=models.Q(models.Q(('released', None), ('released_at', None)), models.Q(('released__isnull', False), ('released_at__isnull', False)), _connector='OR'), name='released_has_a_time')],
            },
        ),
        migrations.CreateModel(
            name='SupersededReport',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('report', models.JSONField()),
                ('digest', models.CharField(max_length=64)),
                ('superseded_at', models.DateTimeField(auto_now_add=True)),
                ('audit', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='superseded_reports', to='grading.audit')),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='grading.organization')),
                ('rubric_version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='grading.rubricversion')),
            ],
            options={
                'ordering': ['-superseded_at', '-pk'],
                'constraints': [models.UniqueConstraint(fields=('audit', 'digest'), name='superseded_report_once')],
            },
        ),
        migrations.CreateModel(
            name='Override',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('criterion_id', models.CharField(max_length=200)),
                ('score', models.PositiveSmallIntegerField()),
                ('verdict_score', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('reason', models.TextField()),
                ('made_at', models.DateTimeField(auto_now_add=True)),
                ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
                ('made_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='grading.organization')),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='overrides', to='grading.submission')),
            ],
            options={
                'ordering': ['-made_at', '-pk'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('withdrawn_at', None)), fields=('submission', 'criterion_id'), name='one_override_per_criterion'), models.CheckConstraint(condition=models.Q(('score__gte', 1), ('score__lte', 5)), name='override_score_1_to_5'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='override_has_a_reason')],
            },
        ),
        migrations.CreateModel(
            name='Appeal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('criterion_id', models.CharField(max_length=200)),
                ('criterion_name', models.CharField(max_length=300)),
                ('state', models.CharField(choices=[('open', 'Open'), ('escalated', 'Escalated'), ('rejudging', 'Being judged again'), ('kept', 'Verdict kept'), ('changed', 'Verdict changed'), ('withdrawn', 'Withdrawn')], default='open', max_length=10)),
                ('text', models.TextField()),
                ('cited', models.JSONField(blank=True, default=list)),
                ('places', models.TextField(blank=True)),
                ('verdict', models.JSONField()),
                ('report_digest', models.CharField(max_length=64)),
                ('answer', models.TextField(blank=True)),
                ('new_score', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('filed_at', models.DateTimeField(auto_now_add=True)),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='grading.organization')),
                ('rejudged_in', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='grading.audit')),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='appeals', to='grading.submission')),
            ],
            options={
                'ordering': ['filed_at', 'pk'],
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['open', 'escalated', 'rejudging', 'kept', 'changed', 'withdrawn'])), name='appeal_state_known'), models.UniqueConstraint(condition=models.Q(('state__in', ('open', 'escalated', 'rejudging'))), fields=('submission', 'criterion_id'), name='one_pending_appeal_per_criterion'), models.CheckConstraint(condition=models.Q(models.Q(('decided_at', None), ('state__in', ('open', 'escalated', 'rejudging'))), models.Q(models.Q(('state__in', ('open', 'escalated', 'rejudging')), _negated=True), ('decided_at__isnull', False)), _connector='OR'), name='appeal_decided_has_a_time'), models.CheckConstraint(condition=models.Q(models.Q(('new_score__gte', 1), ('new_score__lte', 5), ('state', 'changed')), models.Q(models.Q(('state', 'changed'), _negated=True), ('new_score', None)), _connector='OR'), name='appeal_changed_has_a_score')],
            },
        ),
        migrations.CreateModel(
            name='BlindSample',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seed', models.PositiveIntegerField()),
                ('submissions', models.JSONField()),
                ('drawn_at', models.DateTimeField(auto_now_add=True)),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='blind_samples', to='grading.assignment')),
                ('drawn_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='grading.organization')),
            ],
            options={
                'ordering': ['-drawn_at', '-pk'],
            },
        ),
        migrations.CreateModel(
            name='BlindGrade',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('criterion_id', models.CharField(max_length=200)),
                ('score', models.PositiveSmallIntegerField()),
                ('graded_at', models.DateTimeField(auto_now=True)),
                ('graded_by', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='grading.organization')),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='blind_grades', to='grading.submission')),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(fields=('submission', 'criterion_id', 'graded_by'), name='one_blind_grade_per_person'), models.CheckConstraint(condition=models.Q(('score__gte', 1), ('score__lte', 5)), name='blind_score_1_to_5')],
            },
        ),
        migrations.CreateModel(
            name='Notice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('released', 'A grade of mine was released or changed'), ('appeal_answered', 'An appeal of mine was answered'), ('audit_failed', 'An audit of mine failed'), ('report_received', "A peer's report on my work arrived")], max_length=16)),
                ('subject', models.CharField(max_length=200)),
                ('body', models.TextField()),
                ('path', models.CharField(max_length=500)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('sent_at', models.DateTimeField(blank=True, null=True)),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='grading.organization')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['pk'],
                'indexes': [models.Index(condition=models.Q(('sent_at', None)), fields=['created_at'], name='notice_unsent')],
                'constraints': [models.CheckConstraint(condition=models.Q(('kind__in', ['released', 'appeal_answered', 'audit_failed', 'report_received'])), name='notice_kind_known')],
            },
        ),
        migrations.CreateModel(
            name='NoticeOptOut',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('released', 'A grade of mine was released or changed'), ('appeal_answered', 'An appeal of mine was answered'), ('audit_failed', 'An audit of mine failed'), ('report_received', "A peer's report on my work arrived")], max_length=16)),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='grading.organization')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(fields=('organization', 'user', 'kind'), name='opted_out_once'), models.CheckConstraint(condition=models.Q(('kind__in', ['released', 'appeal_answered', 'audit_failed', 'report_received'])), name='opt_out_kind_known')],
            },
        ),
        migrations.AddIndex(
            model_name='activity',
            index=models.Index(fields=['cohort', '-at'], name='activity_of_cohort'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.CheckConstraint(condition=models.Q(('release_policy__in', ['provisional', 'after_release'])), name='release_policy_known'),
        ),
        migrations.AddField(
            model_name='audit',
            name='bulk_run',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='audits', to='grading.bulkrun'),
        ),
        migrations.AddConstraint(
            model_name='audit',
            constraint=models.CheckConstraint(condition=models.Q(('renewal__in', ['missing', 'opinions', 'everything'])), name='audit_renewal_known'),
        ),
        migrations.RunSQL(UNDER_THE_ASSIGNMENTS_RUBRIC, migrations.RunSQL.noop),
        migrations.AlterField(
            model_name='audit',
            name='rubric_version',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='audits', to='grading.rubricversion'),
        ),
        *(behind_the_wall(f'grading_{table}') for table in TABLES),
    ]
