-- The warehouse's own tables: positions, the ledger, commits, roll-ups, prices.

CREATE TABLE meta (
    key VARCHAR,
    value VARCHAR
);

-- One row a partition: where its fold stands. Times are ns since 1970 UTC, as stream.Status says them.
CREATE TABLE progress (
    topic VARCHAR,
    partition BIGINT,
    next_offset BIGINT,
    replay_offset BIGINT,
    snapshot_hash VARCHAR,
    lineage BIGINT DEFAULT 1,
    cluster_id VARCHAR,
    topic_id VARCHAR,
    anchor_offset BIGINT,
    anchor_hash UBIGINT,
    generation BIGINT,
    rules VARCHAR,
    log_clock BIGINT,
    watermark BIGINT,
    complete_through BIGINT,
    settled_through BIGINT,
    records BIGINT,
    consumed BIGINT,
    loaded BIGINT,
    pending BIGINT,
    duplicate BIGINT,
    dead BIGINT,
    late BIGINT,
    open BIGINT,
    evicted BIGINT,
    forgotten BIGINT,
    others BIGINT,
    stale BIGINT,
    attempts BIGINT,
    last_batch BIGINT,
    trying BIGINT,
    tried BIGINT,
    commit BIGINT
);

-- The snapshots of the fold's state that are kept as files, the two latest of a partition.
CREATE TABLE snapshots (
    topic VARCHAR,
    partition BIGINT,
    "offset" BIGINT,
    hash VARCHAR,
    rules VARCHAR,
    lineage BIGINT DEFAULT 1,
    commit BIGINT
);

-- One row a log that took the place of another under the same name: lineage is the new one's number, from 2. at_offset is
-- where the old one stood, its state known up to state_offset; the counts are its last, and what was pending then has
-- no rows but those of requests that the state knew.
CREATE TABLE lineages (
    topic VARCHAR,
    partition BIGINT,
    lineage BIGINT,
    why VARCHAR,
    at_offset BIGINT,
    state_offset BIGINT,
    cluster_id VARCHAR,
    topic_id VARCHAR,
    records BIGINT,
    consumed BIGINT,
    loaded BIGINT,
    pending BIGINT,
    duplicate BIGINT,
    dead BIGINT,
    late BIGINT,
    evicted BIGINT,
    forgotten BIGINT,
    others BIGINT,
    stale BIGINT,
    commit BIGINT
);

-- One row a transaction that changed rows.
CREATE TABLE commits (
    commit BIGINT,
    "at" TIMESTAMP,
    rows BIGINT,
    batches BIGINT
);

-- The ledger, each row of one lineage: what the log alone does not determine. The at of a tick is ns since 1970 UTC; 0 left the log clock.
CREATE TABLE ticks (
    topic VARCHAR,
    partition BIGINT,
    "offset" BIGINT,
    "at" BIGINT,
    flush BOOLEAN,
    lineage BIGINT DEFAULT 1,
    commit BIGINT
);

CREATE TABLE clock_exceptions (
    topic VARCHAR,
    partition BIGINT,
    "offset" BIGINT,
    lineage BIGINT DEFAULT 1,
    commit BIGINT
);

CREATE TABLE dead_letters (
    topic VARCHAR,
    partition BIGINT,
    "offset" BIGINT,
    idx BIGINT,
    reason VARCHAR,
    length BIGINT,
    hash UBIGINT,
    events BIGINT,
    lineage BIGINT DEFAULT 1,
    commit BIGINT
);

-- Offsets that the log had lost before they were folded. Where another log began, "to" is NULL: how far the old one went is
-- not known.
CREATE TABLE log_gaps (
    topic VARCHAR,
    partition BIGINT,
    "from" BIGINT,
    "to" BIGINT,
    lineage BIGINT DEFAULT 1,
    commit BIGINT
);

-- Up to which commit a level of a table has taken in the level below.
CREATE TABLE rollup_positions (
    source VARCHAR,
    level BIGINT,
    commit BIGINT
);

-- Price of a GPU of a type from valid_from until valid_to, or until the next row of the type.
CREATE TABLE prices (
    gpu_type VARCHAR,
    valid_from TIMESTAMP,
    valid_to TIMESTAMP,
    usd_per_hour DECIMAL(38, 12)
);

-- The role whose rows count as a deployment's requests, where it was chosen.
CREATE TABLE counting_legs (
    deployment VARCHAR,
    role VARCHAR
);

-- One row a period that was published: what was reported of it reads the rows of the commits up to commit. Beside it what
-- is no row of a commit as it was then. A column that a migration adds to progress, prices or counting_legs is added there too.
CREATE TABLE seals (
    name VARCHAR,
    period_from TIMESTAMP,
    period_to TIMESTAMP,
    hash VARCHAR,
    "at" TIMESTAMP,
    commit BIGINT
);

CREATE TABLE sealed_progress AS SELECT ''::VARCHAR AS seal, * FROM progress LIMIT 0;

CREATE TABLE sealed_prices AS SELECT ''::VARCHAR AS seal, * FROM prices LIMIT 0;

CREATE TABLE sealed_counting_legs AS SELECT ''::VARCHAR AS seal, * FROM counting_legs LIMIT 0;

-- Requests that were sealed and then replaced, by the commit that did it.
CREATE TABLE replaced_requests AS SELECT *, 0::BIGINT AS replaced FROM requests LIMIT 0;
