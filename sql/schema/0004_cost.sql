-- What GPU time went where, by quarter of an hour: 15 minutes divide every time zone's offset, so days in any zone are sums.

-- Preemptions, and schedulings after the first, as they came.
CREATE TABLE request_marks (
    topic VARCHAR,
    partition BIGINT,
    "offset" BIGINT,
    idx BIGINT,
    producer VARCHAR,
    boot VARCHAR,
    source VARCHAR,
    instance VARCHAR,
    dp_index BIGINT,
    role VARCHAR,
    "at" TIMESTAMP_NS,
    request_id VARCHAR,
    attempt BIGINT,
    choice BIGINT,
    ordinal BIGINT,
    phase VARCHAR,
    occurrence BIGINT,
    engine_step BIGINT,
    output_tokens BIGINT,
    prefilled_tokens BIGINT,
    cached_local_tokens BIGINT,
    lineage BIGINT NOT NULL DEFAULT 1,
    commit BIGINT NOT NULL
);

-- Times of a forward pass fitted to a kind of instance, in femtoseconds; a number once given keeps its meaning.
CREATE TABLE fits (
    fit BIGINT,
    model VARCHAR,
    model_version VARCHAR,
    gpu_type VARCHAR,
    tensor_parallel BIGINT,
    engine VARCHAR,
    engine_version VARCHAR,
    source VARCHAR,
    from_at TIMESTAMP_NS,
    to_at TIMESTAMP_NS,
    runs BIGINT,
    passes BIGINT,
    pass_fs BIGINT,
    prompt_token_fs BIGINT,
    prompt_context_fs BIGINT,
    decode_sequence_fs BIGINT,
    kv_token_fs BIGINT,
    rmse DOUBLE,
    condition DOUBLE,
    relative_errors DOUBLE[],
    inflations DOUBLE[],
    block_spread DOUBLE,
    warnings VARCHAR[],
    commit BIGINT NOT NULL
);

-- The time of an instance in a quarter of an hour: startup + busy + idle + down = held, to the nanosecond. What of busy no
-- request accounts for is unattributed.
CREATE TABLE allocations (
    quarter TIMESTAMP_NS,
    instance VARCHAR,
    dp_index BIGINT,
    boot VARCHAR,
    gpus_ppm BIGINT,
    held_ns BIGINT,
    startup_ns BIGINT,
    busy_ns BIGINT,
    idle_ns BIGINT,
    down_ns BIGINT,
    unattributed_ns BIGINT,
    method VARCHAR,
    fit BIGINT,
    until TIMESTAMP_NS,
    commit BIGINT NOT NULL
);

-- A request's part of an instance's busy time in a quarter of an hour. Each phase is a span of that time: it begins at from
-- and lies beside those of other requests, so that money divided over it by position adds up to the last digit.
CREATE TABLE request_gpu_time (
    quarter TIMESTAMP_NS,
    instance VARCHAR,
    dp_index BIGINT,
    boot VARCHAR,
    topic VARCHAR,
    partition BIGINT,
    lineage BIGINT,
    "offset" BIGINT,
    idx BIGINT,
    prefill_from_ns BIGINT,
    prefill_ns BIGINT,
    cached_from_ns BIGINT,
    cached_ns BIGINT,
    decode_from_ns BIGINT,
    decode_ns BIGINT,
    uncached_tokens BIGINT,
    cached_tokens BIGINT,
    output_tokens BIGINT,
    ended BIGINT,
    commit BIGINT NOT NULL
);

-- The same, summed over requests of the same dimensions; it outlives them.
CREATE TABLE charges (
    quarter TIMESTAMP_NS,
    instance VARCHAR,
    dp_index BIGINT,
    boot VARCHAR,
    model VARCHAR,
    model_version VARCHAR,
    adapter VARCHAR,
    request_class VARCHAR,
    tenant BIGINT,
    outcome VARCHAR,
    probe BOOLEAN,
    retry BOOLEAN,
    requests BIGINT,
    uncached_tokens BIGINT,
    cached_tokens BIGINT,
    output_tokens BIGINT,
    prefill_from_ns BIGINT,
    prefill_ns BIGINT,
    cached_from_ns BIGINT,
    cached_ns BIGINT,
    decode_from_ns BIGINT,
    decode_ns BIGINT,
    after_gone_ns BIGINT,
    recomputed_ns BIGINT,
    rejected_draft_ns BIGINT,
    commit BIGINT NOT NULL
);

-- Up to which commit the rows of requests, step runs and instances were taken into account; the last row counts. Rows of times from
-- open_from on, ns since 1970, lie in a quarter of an hour that had not ended then: NULL where that was attributed too.
CREATE TABLE attribution (
    taken BIGINT,
    open_from BIGINT,
    commit BIGINT NOT NULL
);

-- What was attributed anew after a seal, as it was before: replaced is the commit that did it.
CREATE TABLE replaced_allocations AS SELECT *, 0::BIGINT AS replaced FROM allocations LIMIT 0;

CREATE TABLE replaced_request_gpu_time AS SELECT *, 0::BIGINT AS replaced FROM request_gpu_time LIMIT 0;

CREATE TABLE replaced_charges AS SELECT *, 0::BIGINT AS replaced FROM charges LIMIT 0;
