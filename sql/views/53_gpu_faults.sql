-- GPU faults as they came: one row a report of an Xid, ECC or other fault.
CREATE OR REPLACE VIEW v1.gpu_faults AS
SELECT
    instance,
    dp_index,
    role,
    "at"::TIMESTAMP AS "at",
    gpu,
    node,
    fault,
    code,
    count,
    producer,
    boot,
    source,
    topic,
    partition,
    lineage,
    "offset",
    idx,
    commit
FROM main.gpu_faults;
