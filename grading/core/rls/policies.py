"""Row-level security as a migration operation: every tenant table gets it in the migration that makes the table."""

from django.db.migrations import RunSQL

# Subqueries, so that PostgreSQL reads the settings once per query and not once per row. Unset settings are NULL or
# empty: then nothing is visible, and nothing can be written.
TENANTS = "(SELECT string_to_array(current_setting('auditor.organization', true), ',')::bigint[])::bigint[]"
PERSON = "(SELECT NULLIF(current_setting('auditor.person', true), '')::bigint)"
ERRAND = "(SELECT current_setting('auditor.errand', true))"

WALL = """
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON {table}
    USING (organization_id = ANY ({tenants})) WITH CHECK (organization_id = ANY ({tenants}));
"""
NO_WALL = """
DROP POLICY tenant ON {table};
ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY;
ALTER TABLE {table} DISABLE ROW LEVEL SECURITY;
"""


def behind_the_wall(table: str) -> RunSQL:
    """Rows are seen and written only for the organizations whose scope is entered; the owner is bound as well."""
    return RunSQL(WALL.format(table=table, tenants=TENANTS), NO_WALL.format(table=table))


def door(name: str, table: str, condition: str) -> RunSQL:
    """Rows that may be looked at, and no more, from outside their organization: see grading.core.rls.rls_scope."""
    return RunSQL(
        f"CREATE POLICY {name} ON {table} FOR SELECT USING ({condition});",
        f"DROP POLICY {name} ON {table};",
    )
