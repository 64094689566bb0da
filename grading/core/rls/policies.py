"""Row-level security as migration operations: a policy for each tenant table, and few exceptions."""

from django.db.migrations import RunSQL

# Subqueries, so that PostgreSQL reads the settings once per query and not once per row. Unset
# settings are NULL or empty: then no row is visible, and none can be written.
TENANTS = (
    "(SELECT string_to_array(current_setting('auditor.organization', true), ',')::bigint[])"
    "::bigint[]"
)
PERSON = "(SELECT NULLIF(current_setting('auditor.person', true), '')::bigint)"
ERRAND = "(SELECT current_setting('auditor.errand', true))"

# FORCE: without it the tables' owner would see every row.
TENANT_POLICY = """
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON {table}
    USING (organization_id = ANY ({tenants})) WITH CHECK (organization_id = ANY ({tenants}));
"""
DROP_TENANT_POLICY = """
DROP POLICY tenant ON {table};
ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY;
ALTER TABLE {table} DISABLE ROW LEVEL SECURITY;
"""


def tenant_policy(table: str) -> RunSQL:
    """Allow reading and writing only the rows of the organizations whose scope is entered."""
    return RunSQL(
        TENANT_POLICY.format(table=table, tenants=TENANTS), DROP_TENANT_POLICY.format(table=table)
    )


def read_policy(name: str, table: str, condition: str) -> RunSQL:
    """Allow reading some rows without an organization's scope (grading.core.rls.rls_scope)."""
    return RunSQL(
        f"CREATE POLICY {name} ON {table} FOR SELECT USING ({condition});",
        f"DROP POLICY {name} ON {table};",
    )
