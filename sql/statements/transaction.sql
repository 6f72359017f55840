-- Transactions.

-- name: begin
BEGIN

-- name: begin_reading
BEGIN TRANSACTION READ ONLY

-- name: commit
COMMIT

-- name: rollback
ROLLBACK
