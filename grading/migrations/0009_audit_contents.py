import django.db.models.deletion
from django.db import migrations, models

from grading.core.rls.policies import tenant_policy


class Migration(migrations.Migration):

    dependencies = [
        ('grading', '0008_audit_grace_until'),
    ]

    operations = [
        migrations.CreateModel(
            name='AuditContents',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('files', models.JSONField(blank=True, null=True)),
                ('pages', models.PositiveIntegerField(blank=True, null=True)),
                ('audit', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='contents', to='grading.audit')),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='grading.organization')),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        tenant_policy('grading_auditcontents'),
    ]
