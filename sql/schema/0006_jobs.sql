-- What jobs did, a row each change of a run's state; the last one of a job and period counts.
CREATE TABLE job_runs (
    job VARCHAR,
    period VARCHAR,
    period_from TIMESTAMP,
    period_to TIMESTAMP,
    zone VARCHAR,
    state VARCHAR,
    attempts BIGINT,
    changed_at TIMESTAMP,
    error VARCHAR,
    seal VARCHAR,
    files VARCHAR[],
    commit BIGINT NOT NULL
);

-- The lines of published statements: what the statement of [statement_from, statement_to) said of [period_from, period_to), which
-- is an earlier period where the line is a correction.
CREATE TABLE statement_lines (
    book VARCHAR,
    grouping VARCHAR,
    seal VARCHAR,
    statement_from TIMESTAMP,
    statement_to TIMESTAMP,
    period_from TIMESTAMP,
    period_to TIMESTAMP,
    item VARCHAR,
    state VARCHAR,
    usd DECIMAL(38, 12),
    commit BIGINT NOT NULL
);
