-- One row a period that was published, and the commit up to which its report reads.
CREATE OR REPLACE VIEW v1.seals AS
SELECT
    name,
    period_from,
    period_to,
    hash,
    "at" AS sealed_at,
    commit
FROM main.seals;
