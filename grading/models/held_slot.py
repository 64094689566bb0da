"""Slots that limit how much of something happens at a time. They belong to no organization."""

from django.db import models


class HeldSlot(models.Model):
    """Slot of a name that a process holds (grading.core.held_slots).

    From `until` on, by the database's clock, anybody may take it: its process has died.
    """

    name = models.CharField(max_length=100)
    number = models.PositiveSmallIntegerField()
    token = models.UUIDField()
    until = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["name", "number"], name="slot_is_held_once")]

    def __str__(self) -> str:
        return f"{self.name} {self.number}"
