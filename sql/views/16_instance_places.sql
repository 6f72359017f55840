-- One row an instance: what it serves, where it stands and what it may hold, by its last boot.
CREATE OR REPLACE VIEW v1.instance_places AS
SELECT
    instance,
    role,
    model,
    model_version,
    deployment,
    namespace,
    cluster,
    node,
    pod,
    gpu_type,
    gpus_ppm,
    max_sequences,
    max_batched_tokens,
    kv_tokens,
    kv_block_tokens
FROM v1.instances
QUALIFY row_number() OVER (PARTITION BY instance ORDER BY from_at DESC, boot DESC) = 1;
