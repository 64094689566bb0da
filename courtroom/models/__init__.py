"""Typed records of the courtroom: frozen, with plain JSON at the borders."""
