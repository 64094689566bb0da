"""Django's PostgreSQL backend under the site's own role, with row-level security always told who asks.

base       the backend: ENGINE = "grading.core.rls"
policies   the migration operation that puts a table behind the wall
"""
