-- name: ReportExecution :execrows
INSERT INTO mini_app_executions (id, environment, workspace_id, mini_app_id, chain_id, tx_hash, user_address, referrer,
    state, reason, type, asset, symbol, decimals, amount, block, created_at, updated_at)
VALUES (sqlc.arg('id'), sqlc.arg('environment'), sqlc.arg('workspace_id'), sqlc.arg('mini_app_id'),
    sqlc.arg('chain_id'), sqlc.arg('tx_hash'), sqlc.arg('user_address'), sqlc.arg('referrer'),
    'pending', '', '', '', '', 0, '', 0, sqlc.arg('created_at'), sqlc.arg('updated_at'))
ON CONFLICT (id) DO UPDATE
SET workspace_id = excluded.workspace_id, user_address = excluded.user_address, referrer = excluded.referrer,
    state = 'pending', reason = '', created_at = excluded.created_at, updated_at = excluded.updated_at
WHERE mini_app_executions.state = 'refused'
  AND (mini_app_executions.user_address <> excluded.user_address
    OR mini_app_executions.updated_at < sqlc.arg('refused_before'));

-- name: MiniAppExecution :one
SELECT * FROM mini_app_executions WHERE id = $1;

-- name: JudgeExecution :execrows
UPDATE mini_app_executions
SET state = sqlc.arg('state'), reason = sqlc.arg('reason'), type = sqlc.arg('type'), asset = sqlc.arg('asset'),
    symbol = sqlc.arg('symbol'), decimals = sqlc.arg('decimals'), amount = sqlc.arg('amount'), block = sqlc.arg('block'),
    updated_at = sqlc.arg('updated_at')
WHERE id = sqlc.arg('id') AND state = 'pending' AND user_address = sqlc.arg('user_address')
  AND created_at = sqlc.arg('created_at');

-- name: PendingExecutions :many
SELECT * FROM mini_app_executions WHERE state = 'pending' AND updated_at < sqlc.arg('before')
ORDER BY updated_at LIMIT sqlc.arg('most');

-- The lists below are the beginnings of queries: conditions, order and page are added.

-- name: ListExecutions :many
SELECT * FROM mini_app_executions WHERE environment = $1 AND state = 'counted' AND created_at >= $2;

-- name: CountExecutions :one
SELECT COUNT(*) FROM mini_app_executions WHERE environment = $1 AND state = 'counted' AND created_at >= $2;

-- name: SumExecutions :many
SELECT mini_app_id, chain_id, type, asset, symbol, decimals, amount FROM mini_app_executions
WHERE environment = $1 AND state = 'counted' AND created_at >= $2;
