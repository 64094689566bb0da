"""Two requests in each other's way: PostgreSQL ended one of them, and nothing of that one was written.

Most actions lock rows in one order (a student's place, the assignment, attempts, audits), but whatever they insert also
asks for the rows it refers to, when the transaction ends. Against a cohort's deletion, which holds them all, that is a
deadlock, or a row that refers to nothing any more. Neither is a fault of ours: who asks once more gets an answer.
"""

from __future__ import annotations

from django.db import DatabaseError
from psycopg.errors import DeadlockDetected, ForeignKeyViolation, SerializationFailure

COLLIDED = "Somebody changed the same at the same moment, and nothing of yours was written: try again."


def is_collision(error: BaseException) -> bool:
    """Of what Django raised: whether only what somebody else did at the same time was the cause."""
    causes = (DeadlockDetected, SerializationFailure, ForeignKeyViolation)
    return isinstance(error, DatabaseError) and isinstance(error.__cause__, causes)
