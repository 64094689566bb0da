"""Checks of `manage.py check --deploy` that ask what the site runs on."""

from typing import Any

from django.core.checks import Error, Tags, register

from grading.core.errors import UploadUnreadable
from grading.core.uploads import try_store


@register(Tags.files, deploy=True)
def check_store_of_uploads(**_: Any) -> list[Error]:
    """Write, read and delete a small file. The log says what failed."""
    try:
        try_store()
    except UploadUnreadable as error:
        hint = "STORAGE_URL, the bucket's rights, or the folder MEDIA_ROOT."
        return [Error(error.sentence, hint=hint, id="grading.E001")]
    return []
