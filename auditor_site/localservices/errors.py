"""The one way an embedded server disappoints: with a sentence the person at the keyboard can act
on.
"""


class LocalServiceError(Exception):
    """A server cannot be found, started or reached; the message says which and what to do."""
