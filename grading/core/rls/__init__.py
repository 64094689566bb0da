"""PostgreSQL backend with row-level security.

base              the backend: ENGINE = "grading.core.rls"
cursors           role and scope in each transaction
policies          the migration operations that protect a table
repeated_queries  SQL that PostgreSQL plans once for a connection
rls_scope         the scopes that say which rows are visible
"""
