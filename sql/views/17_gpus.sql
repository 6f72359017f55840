-- GPUs, and the instances that hold them.

-- One row a GPU that a sample or an instance named: its type, its node, and device: the GPU that a MIG instance is a part
-- of, else itself. What a whole device has (energy, power, temperature) every MIG instance of it reports alike.
CREATE OR REPLACE VIEW v1.gpus AS
WITH named AS (
    SELECT gpu, parent_gpu, mig_profile, gpu_type, node
    FROM main.gpu_samples
    UNION ALL
    SELECT unnest(gpu_uuids), NULL, NULL, gpu_type, node
    FROM v1.instances
)
SELECT
    gpu,
    coalesce(max(parent_gpu), gpu) AS device,
    max(mig_profile) AS mig_profile,
    max(gpu_type) AS gpu_type,
    max(node) AS node
FROM named
WHERE gpu IS NOT NULL
GROUP BY gpu;

-- One row a GPU, boot of an instance that holds it, and time: from_at until to_at (NULL: still). A GPU that several share has
-- a row for each, share_ppm is what is told of the share, in millionths.
CREATE OR REPLACE VIEW v1.instance_gpus AS
SELECT
    h.gpu,
    coalesce(g.device, h.gpu) AS device,
    h.share_ppm,
    h.instance,
    h.boot,
    h.from_at,
    h.to_at,
    h.model,
    h.model_version,
    h.deployment,
    h.namespace,
    h.node,
    h.pod,
    h.gpu_type
FROM (
    SELECT *, unnest(gpu_uuids) AS gpu, unnest(gpu_shares_ppm) AS share_ppm
    FROM v1.instances
) h
LEFT JOIN v1.gpus g ON g.gpu = h.gpu
WHERE h.gpu IS NOT NULL;
