-- One row a lane of a boot of a producer: what was seen of what it sent.
-- A source without sequence numbers has unknown gaps (NULL), not none. repeats_recognised is FALSE where what the lane sends again is
-- folded again: it has no sequence numbers (then only what its requests' memory holds is recognised), or the fold had to forget it
-- for want of room. What it sent since then may hold such repeats: what is missing is then unknown.
CREATE OR REPLACE VIEW v1.producers AS
WITH memories AS (
    -- What the fold knew of a lane: until it forgot it, each time, and what it knows now.
    SELECT
        *,
        row_number() OVER (PARTITION BY topic, partition, producer, boot, lane ORDER BY commit DESC, evicted NULLS FIRST) AS back
    FROM main.producer_coverage
    QUALIFY back = 1 OR evicted
),
lanes AS (
    SELECT
        topic,
        partition,
        producer,
        boot,
        lane,
        any_value(source) FILTER (back = 1) AS source,
        any_value(instance) FILTER (back = 1) AS instance,
        min(first_seq) AS first_seq,
        max(last_seq) AS last_seq,
        max(announced_seq) AS announced_seq,
        v1.bigint(sum(received)) AS received,
        v1.bigint(sum(duplicates)) AS duplicates,
        v1.bigint(sum(gaps)) AS gaps,
        min(first_at) AS first_at,
        max(last_at) AS last_at,
        bool_or(stopped) AS stopped,
        count(*) AS memories,
        bool_or(evicted) AS evicted
    FROM memories
    GROUP BY topic, partition, producer, boot, lane
)
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
        WHEN last_seq IS NOT NULL AND memories = 1
        THEN greatest(greatest(last_seq, coalesce(announced_seq, last_seq)) + 1 - received, 0)
    END AS missing,
    CASE WHEN last_seq IS NOT NULL AND memories = 1 THEN gaps END AS gaps,
    first_at::TIMESTAMP AS first_at,
    last_at::TIMESTAMP AS last_at,
    coalesce(stopped, FALSE) AS stopped,
    last_seq IS NOT NULL AND evicted IS NULL AS repeats_recognised
FROM lanes;
