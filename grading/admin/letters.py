"""Letters that left or wait, and who does not want them."""

from django.contrib import admin

from grading.admin.tenancy import MachineMadeAdmin
from grading.models import Notice, NoticeOptOut


@admin.register(Notice)
class NoticeAdmin(MachineMadeAdmin):
    list_display = ("user", "kind", "subject", "created_at", "sent_at", "tries", "tried_at")
    list_filter = ("kind",)
    search_fields = ("user__email", "subject")
    list_select_related = ("user",)
    date_hierarchy = "created_at"


@admin.register(NoticeOptOut)
class NoticeOptOutAdmin(MachineMadeAdmin):
    list_display = ("user", "kind")
    list_filter = ("kind",)
    list_select_related = ("user",)
