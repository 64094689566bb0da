-- What the site logs in as owns no table and is no superuser, so that row-level security binds it.
\set owner_password `cat /run/secrets/owner_password`
\set site_password `cat /run/secrets/site_password`
CREATE ROLE auditor_site NOLOGIN;
CREATE ROLE auditor LOGIN PASSWORD :'site_password' IN ROLE auditor_site;
-- How its queries are planned: disks read any block equally fast, and compiling takes longer than running.
ALTER ROLE auditor SET random_page_cost = 1.1;
ALTER ROLE auditor SET jit = off;
CREATE ROLE auditor_owner LOGIN PASSWORD :'owner_password';
CREATE DATABASE auditor OWNER auditor_owner;
