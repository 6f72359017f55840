-- GPU faults as they came: one row a report of an Xid, ECC or other fault. held_by and held_models are the instances that held
-- the GPU at the time, and their models; empty where none is known to.
CREATE OR REPLACE VIEW v1.gpu_faults AS
WITH holders AS (
    SELECT
        f.topic, f.partition, f.lineage, f."offset", f.idx,
        list_sort(list(DISTINCT h.instance)) AS instances,
        list_sort(list(DISTINCT h.model) FILTER (h.model IS NOT NULL)) AS models
    FROM main.gpu_faults f
    JOIN v1.instance_gpus h
        ON (h.gpu = f.gpu OR h.device = f.gpu)
        AND h.from_at <= f."at"
        AND coalesce(h.to_at, 'infinity'::TIMESTAMP) > f."at"
    GROUP BY ALL
)
SELECT
    f.instance,
    f.dp_index,
    f.role,
    f."at"::TIMESTAMP AS "at",
    f.gpu,
    f.node,
    f.fault,
    f.code,
    f.count,
    f.producer,
    f.boot,
    f.source,
    f.topic,
    f.partition,
    f.lineage,
    f."offset",
    f.idx,
    f.commit,
    coalesce(h.instances, []) AS held_by,
    coalesce(h.models, []) AS held_models
FROM main.gpu_faults f
LEFT JOIN holders h
    ON h.topic IS NOT DISTINCT FROM f.topic
    AND h.partition IS NOT DISTINCT FROM f.partition
    AND h.lineage = f.lineage
    AND h."offset" IS NOT DISTINCT FROM f."offset"
    AND h.idx IS NOT DISTINCT FROM f.idx;
