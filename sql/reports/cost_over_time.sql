-- Cost over time
--
-- What the bill went for, a row a step of time: used for requests that helped, wasted (after the client had gone, on requests that
-- failed or were cancelled, probes, retries: report waste), busy that no request accounts for, idle, startup and down. Together they
-- are usd, to the picodollar. GPU time without a price is not in it: report unpriced. The range is in whole quarters of an hour.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first quarter of an hour where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last quarter where not given.
-- param step BIGINT: Seconds of a step, a multiple of 900; about a hundred steps where not given.
--
-- unit usd, used_usd, wasted_usd, unattributed_usd, idle_usd, startup_usd, down_usd: USD
-- unit usd_per_million_output_tokens: USD/1M
-- optional requests, unattributed_usd, down_usd
-- horizon settled
-- layer cost
-- chart stack "What the bill went for": used_usd, wasted_usd, idle_usd, startup_usd, down_usd, unattributed_usd over time
-- chart lines "Bill per 1M output tokens": usd_per_million_output_tokens over time
WITH span AS (
    SELECT
        since,
        until,
        CASE
            WHEN $step::BIGINT <= 0 OR $step::BIGINT % 900 <> 0 THEN error('a step is a multiple of 900 seconds')
            ELSE coalesce($step::BIGINT, greatest(900, v1.series_step(v1.seconds_between(since, until))))
        END::BIGINT AS step
    FROM v1.cost_span($from, $to)
),
held AS (
    SELECT
        time_bucket(to_seconds(s.step), a.quarter) AS begins,
        sum(a.usd) AS usd,
        sum(a.unattributed_usd) AS unattributed_usd,
        sum(a.idle_usd) AS idle_usd,
        sum(a.startup_usd) AS startup_usd,
        sum(a.down_usd) AS down_usd
    FROM v1.allocations a, span s
    WHERE a.quarter >= s.since
        AND a.quarter < s.until
        AND a.usd IS NOT NULL
    GROUP BY ALL
),
charged AS (
    SELECT
        time_bucket(to_seconds(s.step), c.quarter) AS begins,
        c.requests,
        c.output_tokens,
        c.prefill_usd + c.cached_usd + c.decode_usd AS usd,
        c.prefill_ns + c.cached_ns + c.decode_ns AS used_ns,
        CASE
            WHEN v1.waste_reason(c.probe, c.outcome, c.retry) IS NOT NULL THEN c.prefill_ns + c.cached_ns + c.decode_ns
            ELSE c.after_gone_ns
        END AS wasted_ns
    FROM v1.charges c, span s
    WHERE c.quarter >= s.since
        AND c.quarter < s.until
        AND c.prefill_usd IS NOT NULL
),
used AS (
    SELECT
        begins,
        sum(requests)::BIGINT AS requests,
        sum(output_tokens)::BIGINT AS output_tokens,
        sum(usd) AS usd,
        sum(CASE WHEN wasted_ns = 0 THEN 0 WHEN wasted_ns = used_ns THEN usd ELSE v1.usd_between(usd, 0, wasted_ns, used_ns) END) AS wasted_usd
    FROM charged
    GROUP BY begins
)
SELECT
    h.begins AS "time",
    u.requests,
    h.usd,
    coalesce(u.usd - u.wasted_usd, 0) AS used_usd,
    coalesce(u.wasted_usd, 0) AS wasted_usd,
    h.unattributed_usd,
    h.idle_usd,
    h.startup_usd,
    h.down_usd,
    v1.ratio(h.usd * 1000000, u.output_tokens) AS usd_per_million_output_tokens,
    s.since AS window_from,
    s.until AS window_to
FROM held h
LEFT JOIN used u USING (begins)
CROSS JOIN span s
ORDER BY h.begins;
