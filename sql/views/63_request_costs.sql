-- One row a request's leg, stay in the batch (a preempted one has several) and quarter of an hour in which it used a GPU: how long, by phase, and what that cost. gpu_ns is the
-- instance's time; times its GPUs it is GPU time. Rows of a quarter add up to its v1.charges to the picodollar. USD is NULL where no
-- price is known.
CREATE OR REPLACE VIEW v1.request_costs AS
SELECT
    r.request_id,
    r.instance,
    g.dp_index,
    r.attempt,
    r.choice,
    g.quarter::TIMESTAMP AS quarter,
    r.model,
    r.model_version,
    r.request_class,
    r.tenant,
    r.outcome,
    r.finished_at,
    g.ended = 1 AS ends_here,
    a.gpus_ppm,
    g.prefill_ns + g.cached_ns + g.decode_ns AS gpu_ns,
    g.prefill_ns,
    g.cached_ns,
    g.decode_ns,
    g.uncached_tokens,
    g.cached_tokens,
    g.output_tokens,
    v1.usd_in_quarter(a.usd, a.picodollars, g.prefill_from_ns, g.prefill_from_ns + g.prefill_ns, a.held_ns)
        + v1.usd_in_quarter(a.usd, a.picodollars, g.cached_from_ns, g.cached_from_ns + g.cached_ns, a.held_ns)
        + v1.usd_in_quarter(a.usd, a.picodollars, g.decode_from_ns, g.decode_from_ns + g.decode_ns, a.held_ns) AS usd,
    v1.usd_in_quarter(a.usd, a.picodollars, g.prefill_from_ns, g.prefill_from_ns + g.prefill_ns, a.held_ns) AS prefill_usd,
    v1.usd_in_quarter(a.usd, a.picodollars, g.cached_from_ns, g.cached_from_ns + g.cached_ns, a.held_ns) AS cached_usd,
    v1.usd_in_quarter(a.usd, a.picodollars, g.decode_from_ns, g.decode_from_ns + g.decode_ns, a.held_ns) AS decode_usd,
    a.method AS cost_method,
    a.fit
FROM main.request_gpu_time g
JOIN v1.requests r USING (topic, partition, lineage, "offset", idx)
LEFT JOIN v1.allocations a
    ON a.instance = g.instance AND a.dp_index = g.dp_index AND a.boot IS NOT DISTINCT FROM g.boot AND a.quarter = g.quarter::TIMESTAMP;
