__all__ = ["FIRST", "SECOND"]
FIRST = "a"
SECOND = "b"
START = "not this one"
