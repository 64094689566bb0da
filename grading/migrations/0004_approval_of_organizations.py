"""Approval of organizations, and the account of an audit. Those that exist are approved."""
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

# Their operator let them in before there was a question.
APPROVE_EXISTING = "UPDATE grading_organization SET approved_at = created_at;"


class Migration(migrations.Migration):

    dependencies = [
        ('grading', '0003_triggers'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='notice',
            name='notice_kind_known',
        ),
        migrations.RemoveConstraint(
            model_name='noticeoptout',
            name='opt_out_kind_known',
        ),
        migrations.AddField(
            model_name='audit',
            name='account',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='organization',
            name='approved_at',
            field=models.DateTimeField(blank=True, null=True, verbose_name='approved'),
        ),
        migrations.AddField(
            model_name='organization',
            name='founder',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='organization',
            name='refused_at',
            field=models.DateTimeField(blank=True, null=True, verbose_name='refused'),
        ),
        migrations.AlterField(
            model_name='notice',
            name='kind',
            field=models.CharField(choices=[('released', 'One of my grades was released or changed'), ('appeal_answered', 'One of my appeals was answered'), ('audit_failed', 'One of my audits failed'), ('report_received', 'I received a peer report on my work'), ('peer_reminder', 'I have a peer report or an answer due'), ('handed_in', 'One of my submissions was received'), ('complaint', 'A report was reported as abusive, or my complaint was decided'), ('approval', 'An organization asks for approval, or mine was answered')], max_length=16),
        ),
        migrations.AlterField(
            model_name='noticeoptout',
            name='kind',
            field=models.CharField(choices=[('released', 'One of my grades was released or changed'), ('appeal_answered', 'One of my appeals was answered'), ('audit_failed', 'One of my audits failed'), ('report_received', 'I received a peer report on my work'), ('peer_reminder', 'I have a peer report or an answer due'), ('handed_in', 'One of my submissions was received'), ('complaint', 'A report was reported as abusive, or my complaint was decided'), ('approval', 'An organization asks for approval, or mine was answered')], max_length=16),
        ),
        migrations.AddConstraint(
            model_name='notice',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['released', 'appeal_answered', 'audit_failed', 'report_received', 'peer_reminder', 'handed_in', 'complaint', 'approval'])), name='notice_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='noticeoptout',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['released', 'appeal_answered', 'audit_failed', 'report_received', 'peer_reminder', 'handed_in', 'complaint', 'approval'])), name='opt_out_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='organization',
            constraint=models.CheckConstraint(condition=models.Q(('approved_at', None), ('refused_at', None), _connector='OR'), name='organization_approved_or_refused'),
        ),
        migrations.RunSQL(APPROVE_EXISTING, migrations.RunSQL.noop),
    ]
