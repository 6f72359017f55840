-- One row a (deployment, model, role) that has requests: which role's rows count for what, so that nothing is counted twice.
-- counting_role: requests, outcomes and end-to-end times, from the gateway, else the engine, else the decode leg.
-- prompt_role and output_role: tokens, from the engine; else the prefill or decode leg; else the gateway.
-- Two legs belong together when their models agree and their deployments agree or one of them is not known.
CREATE OR REPLACE VIEW v1.legs AS
WITH present AS (
    SELECT DISTINCT deployment, model, role
    FROM v1.requests
),
met AS (
    SELECT a.deployment, a.model, a.role, list(DISTINCT b.role) AS roles
    FROM present a
    JOIN present b
        ON a.model IS NOT DISTINCT FROM b.model
        AND (a.deployment = b.deployment OR a.deployment IS NULL OR b.deployment IS NULL)
    GROUP BY ALL
)
SELECT
    deployment,
    model,
    role,
    v1.first_of(['gateway', 'engine', 'decode', 'prefill', 'client'], roles) AS counting_role,
    v1.first_of(['engine', 'prefill', 'decode', 'gateway', 'client'], roles) AS prompt_role,
    v1.first_of(['engine', 'decode', 'prefill', 'gateway', 'client'], roles) AS output_role
FROM met;
