"""What the log keeps of how a version of a rubric was read in."""

from grading.models import Activity, RubricVersion


def import_of(version: RubricVersion) -> Activity | None:
    """The import that made the version, with what of the text was not used; None when nobody imported it."""
    about = Activity.objects.filter(object_type="rubricversion", object_id=str(version.pk))
    return about.filter(verb="rubric.imported").select_related("actor").first()


def other_versions(version: RubricVersion) -> list[RubricVersion]:
    """What a version can be compared with: the others of its rubric, newest first."""
    others = RubricVersion.objects.filter(rubric=version.rubric_id).exclude(pk=version.pk)
    return list(others.select_related("rubric").defer("document").order_by("-number"))
