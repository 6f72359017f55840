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
    commit BIGINT
);

-- One row a transaction that changed rows.
CREATE TABLE commits (
    commit BIGINT,
    "at" TIMESTAMP,
    rows BIGINT,
    batches BIGINT
);

-- The ledger: what the log alone does not determine. The at of a tick is ns since 1970 UTC; 0 left the log clock.
CREATE TABLE ticks (
    topic VARCHAR,
    partition BIGINT,
    "offset" BIGINT,
    "at" BIGINT,
    flush BOOLEAN,
    commit BIGINT
);

CREATE TABLE clock_exceptions (
    topic VARCHAR,
    partition BIGINT,
    "offset" BIGINT,
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
    commit BIGINT
);

CREATE TABLE log_gaps (
    topic VARCHAR,
    partition BIGINT,
    "from" BIGINT,
    "to" BIGINT,
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
