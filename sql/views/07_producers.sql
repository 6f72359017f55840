-- One row a lane of a boot of a producer: what was seen of what it sent.
-- A source without sequence numbers has unknown gaps (NULL), not none.
CREATE OR REPLACE VIEW v1.producers AS
SELECT
    topic,
    partition,
    producer,
    boot,
    lane,
    source,
    instance,
    first_seq,
    last_seq,
    announced_seq,
    received,
    duplicates,
    -- Sequences start at 0: what is missing are holes, and what a heartbeat announced but never came.
    CASE
        WHEN last_seq IS NOT NULL
        THEN greatest(greatest(last_seq, coalesce(announced_seq, last_seq)) + 1 - received, 0)
    END AS missing,
    CASE WHEN last_seq IS NOT NULL THEN gaps END AS gaps,
    first_at::TIMESTAMP AS first_at,
    last_at::TIMESTAMP AS last_at,
    coalesce(stopped, FALSE) AS stopped
FROM main.producer_coverage
QUALIFY row_number() OVER (PARTITION BY topic, partition, producer, boot, lane ORDER BY commit DESC) = 1;
