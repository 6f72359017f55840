-- Up to where windows were written, what was removed by age, and which lanes the fold forgot.

-- Event time, ns since 1970 UTC: no row of request_windows that came from the partition begins here or later.
ALTER TABLE progress ADD COLUMN windows_through BIGINT;

ALTER TABLE sealed_progress ADD COLUMN windows_through BIGINT;

UPDATE progress
SET windows_through = (SELECT max(epoch_ns(window_start)) + 10000000000 FROM request_windows WHERE level = 10);

UPDATE sealed_progress
SET windows_through = (
    SELECT max(epoch_ns(w.window_start)) + 10000000000
    FROM request_windows w
    JOIN seals s ON w.commit <= s.commit
    WHERE w.level = 10 AND s.name = sealed_progress.seal
);

-- The fold forgot the lane with this row: what it sends again is folded again.
ALTER TABLE producer_coverage ADD COLUMN evicted BOOLEAN;

-- One row an act of retention, table and level, and for what has a place on a log also partition and lineage: the rows of event times
-- before "before" and of commits up to until were removed. Beside their number what they added up to, so that what is
-- left can still be held against it. total is that of v1.windows_total and its like.
CREATE TABLE retention (
    "table" VARCHAR,
    level BIGINT,
    topic VARCHAR,
    partition BIGINT,
    lineage BIGINT,
    "before" TIMESTAMP_NS,
    until BIGINT,
    rows BIGINT,
    events BIGINT,
    evicted BIGINT,
    finished HUGEINT,
    ok HUGEINT,
    output_tokens HUGEINT,
    prompt_tokens HUGEINT,
    total HUGEINT,
    commit BIGINT
);

-- What v1.legs and v1.anomalies said at a seal: they look at all requests there are, and some may be removed since. A column that
-- one of the views gets is added here too.
CREATE TABLE sealed_legs (
    seal VARCHAR,
    deployment VARCHAR,
    model VARCHAR,
    role VARCHAR,
    counting_role VARCHAR,
    prompt_role VARCHAR,
    output_role VARCHAR
);

CREATE TABLE sealed_anomalies (
    seal VARCHAR,
    kind VARCHAR,
    topic VARCHAR,
    instance VARCHAR,
    role VARCHAR,
    sources VARCHAR[],
    requests BIGINT,
    first_at TIMESTAMP,
    last_at TIMESTAMP
);
