"""Folders of the project: in a checkout, and installed from a wheel (pyproject.toml maps them)."""

import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
# A checkout has these folders beside the packages, a wheel inside this one.
IS_INSTALLED = (PACKAGE / "templates").is_dir()
_BESIDE = PACKAGE if IS_INSTALLED else PACKAGE.parent
TEMPLATES = _BESIDE / "templates"
STATIC = _BESIDE / "static"
# What is made at run time lies in `var` below: of the checkout, or of the virtual environment.
HOME = Path(sys.prefix) if IS_INSTALLED else PACKAGE.parent
