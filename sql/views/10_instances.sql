-- One row a boot of an instance: from when to when it stood, where, with which limits and GPUs.
-- It ends with its stopped event, else where the instance's next boot begins; with neither, to_at is NULL.
CREATE OR REPLACE VIEW v1.instances AS
WITH told AS (
    -- The last word on each field counts; fields left out keep the word before.
    SELECT
        instance,
        boot,
        min("at") FILTER (state = 'starting') AS starting_at,
        min("at") FILTER (state = 'ready') AS ready_at,
        min("at") FILTER (state = 'draining') AS draining_at,
        max("at") FILTER (state = 'stopped') AS stopped_at,
        min("at") AS first_at,
        arg_max(role, ("at", lineage, "offset", idx)) AS role,
        arg_max(engine, ("at", lineage, "offset", idx)) AS engine,
        arg_max(engine_version, ("at", lineage, "offset", idx)) AS engine_version,
        arg_max(model, ("at", lineage, "offset", idx)) AS model,
        arg_max(model_version, ("at", lineage, "offset", idx)) AS model_version,
        arg_max(max_sequences, ("at", lineage, "offset", idx)) AS max_sequences,
        arg_max(max_batched_tokens, ("at", lineage, "offset", idx)) AS max_batched_tokens,
        arg_max(kv_tokens, ("at", lineage, "offset", idx)) AS kv_tokens,
        arg_max(kv_block_tokens, ("at", lineage, "offset", idx)) AS kv_block_tokens,
        arg_max(max_model_tokens, ("at", lineage, "offset", idx)) AS max_model_tokens,
        arg_max(gpu_uuids, ("at", lineage, "offset", idx)) AS gpu_uuids,
        arg_max(gpu_shares_ppm, ("at", lineage, "offset", idx)) AS gpu_shares_ppm,
        arg_max(gpu_count, ("at", lineage, "offset", idx)) AS gpu_count,
        arg_max(gpu_type, ("at", lineage, "offset", idx)) AS gpu_type,
        arg_max(tensor_parallel, ("at", lineage, "offset", idx)) AS tensor_parallel,
        arg_max(pipeline_parallel, ("at", lineage, "offset", idx)) AS pipeline_parallel,
        arg_max(data_parallel, ("at", lineage, "offset", idx)) AS data_parallel,
        arg_max(price_key, ("at", lineage, "offset", idx)) AS price_key,
        arg_max(deployment, ("at", lineage, "offset", idx)) AS deployment,
        arg_max(namespace, ("at", lineage, "offset", idx)) AS namespace,
        arg_max(cluster, ("at", lineage, "offset", idx)) AS cluster,
        arg_max(node, ("at", lineage, "offset", idx)) AS node,
        arg_max(pod, ("at", lineage, "offset", idx)) AS pod,
        arg_max(region, ("at", lineage, "offset", idx)) AS region
    FROM main.instance_events
    WHERE instance IS NOT NULL
        AND coalesce(state, '') <> 'heartbeat'
    GROUP BY instance, boot
),
ordered AS (
    SELECT
        *,
        coalesce(least(starting_at, ready_at), first_at) AS from_ns,
        lead(coalesce(least(starting_at, ready_at), first_at)) OVER (
            PARTITION BY instance
            ORDER BY coalesce(least(starting_at, ready_at), first_at), boot
        ) AS next_ns
    FROM told
)
SELECT
    instance,
    boot,
    from_ns::TIMESTAMP AS from_at,
    least(stopped_at, next_ns)::TIMESTAMP AS to_at,
    stopped_at IS NOT NULL AS end_known,
    starting_at::TIMESTAMP AS starting_at,
    ready_at::TIMESTAMP AS ready_at,
    draining_at::TIMESTAMP AS draining_at,
    v1.seconds(epoch_ns(ready_at) - epoch_ns(starting_at)) AS startup_seconds,
    role,
    engine,
    engine_version,
    model,
    model_version,
    max_sequences,
    max_batched_tokens,
    kv_tokens,
    kv_block_tokens,
    max_model_tokens,
    gpu_uuids,
    gpu_shares_ppm,
    gpu_count,
    -- GPUs that are paid for, in millionths: the shares where they are told, else whole GPUs.
    coalesce(list_sum(gpu_shares_ppm)::BIGINT, gpu_count * 1000000, len(gpu_uuids) * 1000000) AS gpus_ppm,
    gpu_type,
    tensor_parallel,
    pipeline_parallel,
    data_parallel,
    price_key,
    deployment,
    namespace,
    cluster,
    node,
    pod,
    region
FROM ordered
WHERE next_ns IS NULL OR next_ns > from_ns;
