"""The API's schema, which is the same for everybody.

It is made once in a process: that takes 0.1 s of processor time, and anybody may ask for it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.views import SpectacularJSONAPIView


@cache
def public_schema() -> dict[str, Any]:
    generator: Any = SchemaGenerator
    schema: dict[str, Any] = generator().get_schema(request=None, public=True)
    return schema


class _PublicSchema(SchemaGenerator):
    def get_schema(self, request: Any = None, public: bool = False) -> dict[str, Any]:
        return public_schema()


class Schema(SpectacularJSONAPIView):
    generator_class = _PublicSchema
