"""Tribunal: detectives, judges and a Chief Justice for student repositories."""
