-- name: InsertMiniApp :exec
INSERT INTO mini_apps (id, environment, operator, type, protocol, wallet, contract, chain_id, destination_id, metadata, active,
    created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13);

-- name: MiniApp :one
SELECT * FROM mini_apps WHERE environment = $1 AND id = $2;

-- name: CountMiniApps :one
SELECT COUNT(*) FROM mini_apps WHERE environment = $1;

-- name: ListMiniApps :many
SELECT * FROM mini_apps WHERE environment = $1;

-- name: SwitchMiniApp :execrows
UPDATE mini_apps SET active = sqlc.arg('active'), updated_at = sqlc.arg('updated_at')
WHERE environment = sqlc.arg('environment') AND id = sqlc.arg('id');
