"""Parts of a report that its page has many times, rendered by Jinja (docs/decisions/0036)."""

from __future__ import annotations

from functools import cache
from typing import Any

from django import template
from django.template.defaultfilters import floatformat
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from grading.templatetags.place_tags import file_link, linked
from grading.templatetags.text_tags import markdown

register = template.Library()


@register.simple_tag
def report_part(name: str, *values: Any) -> str:
    """Return the part of that name, a macro of audits/report/parts.jinja.html, as safe HTML."""
    part: str = getattr(_parts(), name)(*values)
    return part


@cache
def _parts() -> Any:
    environment = Environment(
        loader=FileSystemLoader(template.Engine.get_default().dirs),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"floatformat": floatformat, "linked": linked, "markdown": markdown}
    environment.globals |= {"file_link": file_link}
    return environment.get_template("audits/report/parts.jinja.html").module
