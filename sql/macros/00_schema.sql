-- The schema of everything that users read. Its names are a promise: columns are added, never changed.
CREATE SCHEMA IF NOT EXISTS v1;
