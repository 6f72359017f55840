-- Completeness
--
-- How much of what the sources sent is here, and up to when. A source that numbers its events shows what is missing;
-- one that does not is unknown (empty), not complete. unclean counts boots that went silent without saying that they
-- stopped: what they had not sent is lost, tail events at most at their rate (v1.completeness; empty: not known). Dead letters
-- and late are the topic's, and so are anomalies (v1.anomalies lists them), replaced: logs that another took the place of (v1.lineages), and what the fold went without
-- (v1.progress): evicted (v1.evictions has the reasons) and forgotten for want of room, others booked under __other__, stale samples.
-- lanes_forgotten are the source's lanes whose repeats are no longer recognised: what they send again counts again.
-- Requests of the source are complete through complete_through; tokens and times, which are spread back, through
-- settled_through. What other reports show is complete through the least of the sources.
--
-- param topic VARCHAR: One topic only; all where not given.
--
-- unit complete, late: ratio
-- optional settled_through, boots, first_at, producers, duplicates, late, last_at, replaced, anomalies
-- rare tail, lanes_forgotten, evicted, forgotten, others, stale
-- layer completeness
-- chart bars "Events": events over topic by source
-- chart bars "Complete": complete over topic by source
SELECT
    topic,
    source,
    producers,
    boots,
    events,
    duplicates,
    gaps,
    missing,
    completeness_ratio AS complete,
    unclean_ends AS unclean,
    unclean_tail_events AS tail,
    topic_dead_letters AS dead,
    topic_anomalies AS anomalies,
    topic_replaced_logs AS replaced,
    lanes_forgotten,
    topic_evicted AS evicted,
    topic_forgotten AS forgotten,
    topic_other_bookings AS others,
    topic_stale_samples AS stale,
    topic_late_ratio AS late,
    first_at,
    last_at,
    complete_through,
    settled_through
FROM v1.completeness
WHERE $topic::VARCHAR IS NULL OR topic = $topic::VARCHAR
ORDER BY topic, source NULLS LAST;
