-- Which role's rows count as a deployment's requests.

-- name: drop_counting_legs
DELETE FROM counting_legs WHERE list_contains($1::VARCHAR[], deployment)

-- name: insert_counting_legs
INSERT INTO counting_legs
SELECT deployment, role
FROM (SELECT unnest($1::VARCHAR[]) AS deployment, unnest($2::VARCHAR[]) AS role)
WHERE role <> ''
