-- One row a topic and source kind: how much of what was sent is here, and up to when.
-- Columns named topic_* are the topic's, whatever the source kind; the horizons are the source's (v1.source_horizons), the
-- topic's where no producer is named. A source without sequence numbers has unknown missing events and completeness (NULL),
-- never none and never 100 %. lanes_forgotten are those whose repeats are no longer recognised (v1.producers); where one came back,
-- completeness is unknown too. v1.evictions says what was evicted, by reason.
-- unclean_tail_events bounds what may be missing beside missing: what the boots of unclean_ends made after their last event
-- and never sent. Such a boot is taken for dead when its producer's next boot speaks, or after a minute of silence; it may
-- have made events until then at its rate before, rounded up. NULL where the rate of one of them is not known.
CREATE OR REPLACE VIEW v1.completeness AS
WITH boots AS (
    SELECT
        topic,
        source,
        producer,
        boot,
        count(*) FILTER (last_seq IS NULL) AS lanes_without_seq,
        count(*) FILTER (last_seq IS NOT NULL AND NOT repeats_recognised) AS lanes_forgotten,
        count(*) FILTER (missing IS NULL) AS lanes_unknown,
        sum(received) AS received,
        sum(duplicates) AS duplicates,
        sum(missing) AS missing,
        sum(gaps) FILTER (last_seq IS NOT NULL) AS gaps,
        min(first_at) AS first_at,
        max(last_at) AS last_at,
        bool_or(stopped) AS stopped
    FROM v1.producers
    GROUP BY ALL
),
ends AS (
    SELECT
        b.*,
        -- A boot that never said, on any topic, that it stopped, and that is followed by another or silent for a minute.
        NOT bool_or(stopped) OVER (PARTITION BY producer, boot) AND (
            last_at < max(last_at) OVER (PARTITION BY b.topic, producer)
                AND boot <> arg_max(boot, last_at) OVER (PARTITION BY b.topic, producer)
            OR last_at < greatest(h.complete_through, (SELECT complete_through FROM v1.horizon)) - INTERVAL 1 MINUTE
        ) AS unclean,
        lead(first_at) OVER (PARTITION BY b.topic, b.source, producer ORDER BY first_at, boot) AS next_at
    FROM boots b
    LEFT JOIN v1.source_horizons h
        ON h.topic = b.topic
        AND h.source IS NOT DISTINCT FROM b.source
),
tails AS (
    SELECT
        *,
        CASE
            WHEN unclean AND last_at > first_at
            THEN ceil(
                received * greatest(epoch_us(least(next_at, last_at + INTERVAL 1 MINUTE)) - epoch_us(last_at), 0)
                / (epoch_us(last_at) - epoch_us(first_at))
            )
        END AS tail
    FROM ends
),
sources AS (
    SELECT
        topic,
        source,
        count(DISTINCT producer) AS producers,
        count(*) AS boots,
        count(*) FILTER (unclean) AS unclean_ends,
        CASE WHEN count(*) FILTER (unclean AND tail IS NULL) = 0 THEN coalesce(sum(tail), 0)::BIGINT END AS unclean_tail_events,
        sum(lanes_without_seq)::BIGINT AS lanes_without_seq,
        sum(lanes_forgotten)::BIGINT AS lanes_forgotten,
        sum(lanes_unknown) AS lanes_unknown,
        sum(received)::BIGINT AS events,
        sum(duplicates)::BIGINT AS duplicates,
        sum(missing)::BIGINT AS missing,
        sum(gaps)::BIGINT AS gaps,
        min(first_at) AS first_at,
        max(last_at) AS last_at
    FROM tails
    GROUP BY topic, source
),
ended AS (
    SELECT topic, count(*) AS logs, sum(consumed) AS consumed, sum(dead) AS dead, sum(late) AS late, sum(unfinished) AS unfinished,
        sum(evicted) AS evicted, sum(forgotten) AS forgotten, sum(other_bookings) AS other_bookings, sum(stale_samples) AS stale_samples
    FROM v1.lineages
    GROUP BY topic
),
topics AS (
    SELECT
        topic,
        -- Logs that were replaced by another count too.
        (sum(p.consumed) + coalesce(any_value(ended.consumed), 0))::BIGINT AS topic_consumed,
        (sum(p.dead) + coalesce(any_value(ended.dead), 0))::BIGINT AS topic_dead_letters,
        (sum(p.late) + coalesce(any_value(ended.late), 0))::BIGINT AS topic_late,
        sum(pending)::BIGINT AS topic_pending,
        (SELECT count(*) FROM v1.anomalies a WHERE a.topic = p.topic) AS topic_anomalies,
        coalesce(any_value(ended.logs), 0) AS topic_replaced_logs,
        coalesce(any_value(ended.unfinished), 0)::BIGINT AS topic_unfinished,
        (sum(p.evicted) + coalesce(any_value(ended.evicted), 0))::BIGINT AS topic_evicted,
        (sum(p.forgotten) + coalesce(any_value(ended.forgotten), 0))::BIGINT AS topic_forgotten,
        (sum(p.other_bookings) + coalesce(any_value(ended.other_bookings), 0))::BIGINT AS topic_other_bookings,
        (sum(p.stale_samples) + coalesce(any_value(ended.stale_samples), 0))::BIGINT AS topic_stale_samples,
        -- An idle partition does not hold the others back.
        coalesce(min(complete_through) FILTER (NOT idle), max(complete_through)) AS complete_through,
        coalesce(min(settled_through) FILTER (NOT idle OR open_requests > 0), max(complete_through)) AS settled_through
    FROM v1.progress p
    LEFT JOIN ended USING (topic)
    GROUP BY topic
)
SELECT
    coalesce(s.topic, t.topic) AS topic,
    s.source,
    s.producers,
    s.boots,
    s.unclean_ends,
    s.unclean_tail_events,
    s.lanes_without_seq,
    s.lanes_forgotten,
    s.events,
    s.duplicates,
    s.gaps,
    s.missing,
    CASE WHEN s.lanes_unknown = 0 THEN v1.ratio(s.events, s.events + s.missing) END AS completeness_ratio,
    s.first_at,
    s.last_at,
    t.topic_consumed,
    t.topic_dead_letters,
    t.topic_pending,
    t.topic_anomalies,
    t.topic_replaced_logs,
    t.topic_unfinished,
    t.topic_evicted,
    t.topic_forgotten,
    t.topic_other_bookings,
    t.topic_stale_samples,
    v1.ratio(t.topic_late, t.topic_consumed) AS topic_late_ratio,
    CASE WHEN h.topic IS NULL THEN t.complete_through ELSE h.complete_through END AS complete_through,
    CASE WHEN h.topic IS NULL THEN t.settled_through ELSE h.settled_through END AS settled_through
FROM sources s
FULL JOIN topics t ON t.topic = s.topic
LEFT JOIN v1.source_horizons h
    ON h.topic = s.topic
    AND h.source IS NOT DISTINCT FROM s.source;
