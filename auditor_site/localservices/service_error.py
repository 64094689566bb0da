"""Error of an embedded server, with a sentence that the developer can act on."""


class LocalServiceError(Exception):
    """A server cannot be found, started or reached; the message says which and what to do."""
