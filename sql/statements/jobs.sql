-- The history of jobs, and what they published.

-- name: insert_job_run
INSERT INTO job_runs VALUES ($1, $2, make_timestamp($3), make_timestamp($4), $5, $6, $7, make_timestamp($8), nullif($9, ''), $10, $11::VARCHAR[], $12)

-- name: job_history
SELECT period, state, attempts, changed_at, error FROM v1.job_runs WHERE job = $job ORDER BY period

-- Lines that are there of the same statement stay.
-- name: insert_statement_lines
INSERT INTO statement_lines
SELECT $1, $2, $3, make_timestamp($4), make_timestamp($5), line.*, $11
FROM (
    SELECT
        make_timestamp(unnest($6::BIGINT[])),
        make_timestamp(unnest($7::BIGINT[])),
        nullif(unnest($8::VARCHAR[]), ''),
        unnest($9::VARCHAR[]),
        CAST(unnest($10::VARCHAR[]) AS DECIMAL(38, 12))
) line
WHERE NOT EXISTS (FROM statement_lines WHERE book = $1 AND grouping = $2 AND seal = $3)
