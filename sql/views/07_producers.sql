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
)
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
    -- Sequences start at 0: what is missing are holes, and what a heartbeat announced but never came.
    CASE
        WHEN max(last_seq) IS NOT NULL AND count(*) = 1
        THEN greatest(greatest(max(last_seq), coalesce(max(announced_seq), max(last_seq))) + 1 - v1.bigint(sum(received)), 0)
    END AS missing,
    CASE WHEN max(last_seq) IS NOT NULL AND count(*) = 1 THEN max(gaps) END AS gaps,
    min(first_at)::TIMESTAMP AS first_at,
    max(last_at)::TIMESTAMP AS last_at,
    coalesce(bool_or(stopped), FALSE) AS stopped,
    max(last_seq) IS NOT NULL AND NOT coalesce(bool_or(evicted), FALSE) AS repeats_recognised
FROM memories
GROUP BY topic, partition, producer, boot, lane;
