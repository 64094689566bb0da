"""Long lists, a page at a time: by cursor, so that what is added meanwhile shifts nothing."""

from rest_framework.pagination import CursorPagination


class ByCursor(CursorPagination):
    """`{next, previous, results}`; a view names its own order in `ordering`."""

    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 200
    ordering = "-pk"
