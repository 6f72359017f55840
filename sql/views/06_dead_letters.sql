-- One row an event, or whole record, that was refused. The content is not kept.
CREATE OR REPLACE VIEW v1.dead_letters AS
SELECT
    topic,
    partition,
    lineage,
    "offset",
    idx,
    reason,
    length AS length_bytes,
    hash,
    events,
    commit
FROM main.dead_letters;
