-- name: ListHistory :many
SELECT * FROM wallet_history WHERE workspace_id = $1;

-- name: CountHistory :one
SELECT CAST(COUNT(*) AS BIGINT) FROM wallet_history WHERE workspace_id = $1;
