-- One row a (deployment, model, role) that has requests: which role's rows count for what, so that nothing is counted twice.
-- counting_role: requests, outcomes and end-to-end times, from the leg chosen for the deployment (serve --counting-leg) if it
-- has rows; else from the gateway, else the engine, else the decode leg.
-- prompt_role and output_role: tokens, from the engine; else the prefill or decode leg; else the gateway.
-- Two legs belong together when their models agree and their deployments agree or one of them is not known. So where a leg
-- of a model names no deployment, a choice holds only if it is the same for all deployments of the model.
CREATE OR REPLACE VIEW v1.legs AS
WITH present AS (
    SELECT DISTINCT deployment, model, role
    FROM v1.requests
),
chosen AS (
    SELECT
        p.*,
        CASE
            WHEN bool_and(p.deployment IS NOT NULL) OVER of_model THEN c.role
            WHEN min(coalesce(c.role, '')) FILTER (p.deployment IS NOT NULL) OVER of_model
                = max(c.role) FILTER (p.deployment IS NOT NULL) OVER of_model
            THEN max(c.role) OVER of_model
        END AS chosen_role
    FROM present p
    LEFT JOIN main.counting_legs c ON c.deployment = p.deployment
    WINDOW of_model AS (PARTITION BY p.model)
),
met AS (
    SELECT a.deployment, a.model, a.role, any_value(a.chosen_role) AS chosen_role, list(DISTINCT b.role) AS roles
    FROM chosen a
    JOIN present b
        ON a.model IS NOT DISTINCT FROM b.model
        AND (a.deployment = b.deployment OR a.deployment IS NULL OR b.deployment IS NULL)
    GROUP BY a.deployment, a.model, a.role
)
SELECT
    deployment,
    model,
    role,
    v1.first_of([coalesce(chosen_role, 'gateway'), 'gateway', 'engine', 'decode', 'prefill', 'client'], roles) AS counting_role,
    v1.first_of(['engine', 'prefill', 'decode', 'gateway', 'client'], roles) AS prompt_role,
    v1.first_of(['engine', 'decode', 'prefill', 'gateway', 'client'], roles) AS output_role
FROM met;
