-- Grants the service only the database permissions that it needs. docs/operating.md, "Least
-- rights", describes them. Run this file as the owner after each migration.
\getenv password SERVICE_PASSWORD
select 'create role animal_store_service login'
  where not exists (select from pg_roles where rolname = 'animal_store_service') \gexec
alter role animal_store_service password :'password';

grant connect on database animal_store to animal_store_service;
grant usage on schema public, usage, drizzle to animal_store_service;
grant select on drizzle.__drizzle_migrations to animal_store_service;
grant select, insert, update, delete on all tables in schema public, usage to animal_store_service;
grant usage, select, update on all sequences in schema public, usage to animal_store_service;
alter default privileges for role animal_store in schema public, usage
  grant select, insert, update, delete on tables to animal_store_service;
alter default privileges for role animal_store in schema public, usage
  grant usage, select, update on sequences to animal_store_service;
