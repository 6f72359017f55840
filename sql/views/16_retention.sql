-- One row an act of retention (serve --keep-…), table and level, for requests and samples also partition and log: rows whose event
-- time is before removed_before, and that were loaded long enough ago, are gone. level_seconds is NULL for requests and samples.
CREATE OR REPLACE VIEW v1.retention AS
SELECT
    r."table" AS table_name,
    r.level AS level_seconds,
    r.topic,
    r.partition,
    r.lineage,
    r."before"::TIMESTAMP AS removed_before,
    r.rows,
    r.events,
    c."at" AS removed_at,
    r.commit
FROM main.retention r
LEFT JOIN main.commits c ON c.commit = r.commit;

-- One row a table and level that retention took rows of: all there is of it begins at kept_from. For windows of a tier before that, ask
-- the next tier: it has all of them.
CREATE OR REPLACE VIEW v1.kept AS
SELECT
    table_name,
    level_seconds,
    max(removed_before) AS kept_from,
    v1.bigint(sum(rows)) AS removed_rows
FROM v1.retention
GROUP BY table_name, level_seconds;
