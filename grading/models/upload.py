"""Uploads that no submission names."""

from django.db import models

from grading.models.tenant import TenantModel


class OrphanedUpload(TenantModel):
    """Upload to be deleted once it is due: of a submission in progress, or of a deleted one.

    A file belongs to no transaction. So its name is written here before the file is stored, and
    goes in the transaction that accepts the submission; and a row that is deleted leaves its
    upload's name here. Whatever dies in between, the reconciler deletes the file (core/uploads.py).
    """

    name = models.CharField(max_length=200, unique=True)
    delete_after = models.DateTimeField(db_index=True)

    class Meta:
        ordering = ["delete_after", "pk"]

    def __str__(self) -> str:
        return self.name
