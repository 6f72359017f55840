-- One row a topic, partition and reason: what the fold of its logs evicted for want of room (v1.progress.evicted, by reason).
-- open_request: lost, with flag evicted. lane: what it sends again is folded again (v1.producers.repeats_recognised). gap_of_lane: counts
-- as closed. instance_or_series: the rest: the newest boot of an instance, or the last values of gauges and counters.
CREATE OR REPLACE VIEW v1.evictions AS
WITH told AS (
    SELECT topic, partition, sum(evicted) AS evicted
    FROM (
        SELECT topic, partition, evicted FROM v1.progress
        UNION ALL
        SELECT topic, partition, evicted FROM v1.lineages
    )
    GROUP BY topic, partition
),
known AS (
    SELECT topic, partition, 'open_request' AS reason, count(*) AS parts
    FROM main.requests
    WHERE flags & v1.flag_bit('evicted') <> 0
    GROUP BY topic, partition
    UNION ALL
    SELECT topic, partition, 'open_request', sum(evicted)
    FROM main.retention
    WHERE evicted > 0
    GROUP BY topic, partition
    UNION ALL
    SELECT topic, partition, 'lane', count(*)
    FROM main.producer_coverage
    WHERE evicted
    GROUP BY topic, partition
    UNION ALL
    SELECT topic, partition, 'gap_of_lane', sum(gaps - greatest(len(runs) // 2 - 1, 0))
    FROM main.producer_coverage
    WHERE last_seq IS NOT NULL
    GROUP BY topic, partition, producer, boot, lane, commit, evicted
    QUALIFY evicted OR row_number() OVER (PARTITION BY topic, partition, producer, boot, lane ORDER BY commit DESC, evicted NULLS FIRST) = 1
),
named AS (
    SELECT topic, partition, reason, sum(parts) AS parts
    FROM known
    GROUP BY topic, partition, reason
    UNION ALL
    SELECT topic, partition, 'instance_or_series', any_value(t.evicted) - coalesce(sum(k.parts), 0)
    FROM told t
    LEFT JOIN known k USING (topic, partition)
    GROUP BY topic, partition
)
SELECT topic, partition, reason, v1.bigint(parts) AS parts
FROM named
WHERE parts > 0;
