-- name: InsertDepositAccount :execrows
INSERT INTO deposit_accounts (workspace_id, id, reference, wallet_id, source, destination, chain, address, fee_points, status,
    deactivated, wanted, partner_key, keyed_at, tried_at, customer_id, partner_id, sealed, polled_at, activities_until, version,
    created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)
ON CONFLICT (workspace_id, wallet_id, source, destination) DO NOTHING;

-- name: DepositAccount :one
SELECT * FROM deposit_accounts WHERE workspace_id = $1 AND id = $2;

-- name: DepositAccountOf :one
SELECT * FROM deposit_accounts
WHERE workspace_id = sqlc.arg('workspace_id') AND wallet_id = sqlc.arg('wallet_id') AND source = sqlc.arg('source')
  AND destination = sqlc.arg('destination');

-- name: DepositAccountByPartner :one
SELECT * FROM deposit_accounts WHERE partner_id = $1 AND partner_id <> '';

-- name: TakeDepositAccount :execrows
UPDATE deposit_accounts
SET tried_at = sqlc.arg('now'), partner_key = sqlc.arg('partner_key'), keyed_at = sqlc.arg('keyed_at')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND status = 'provisioning' AND tried_at = sqlc.arg('was');

-- name: LeaveDepositAccount :exec
UPDATE deposit_accounts SET tried_at = 0
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND status = 'provisioning' AND tried_at = sqlc.arg('was');

-- name: DropDepositAccount :execrows
DELETE FROM deposit_accounts
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND status = 'provisioning' AND tried_at = sqlc.arg('was');

-- name: FinishDepositAccount :execrows
UPDATE deposit_accounts
SET status = 'active', tried_at = 0, deactivated = sqlc.arg('deactivated'), customer_id = sqlc.arg('customer_id'),
    partner_id = sqlc.arg('partner_id'), sealed = sqlc.arg('sealed'), version = version + 1, updated_at = sqlc.arg('now')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND status = 'provisioning';

-- name: UpdateDepositAccount :execrows
UPDATE deposit_accounts
SET deactivated = sqlc.arg('deactivated'), wanted = sqlc.arg('wanted'), partner_key = sqlc.arg('partner_key'),
    keyed_at = sqlc.arg('keyed_at'), tried_at = sqlc.arg('tried_at'), sealed = sqlc.arg('sealed'), version = version + 1,
    updated_at = sqlc.arg('updated_at')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND status = 'active' AND version = sqlc.arg('version');

-- name: PolledDepositAccount :exec
UPDATE deposit_accounts
SET polled_at = CASE WHEN polled_at < sqlc.arg('at') THEN sqlc.arg('at') ELSE polled_at END,
    activities_until = CASE WHEN activities_until < sqlc.arg('until') THEN sqlc.arg('until') ELSE activities_until END
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id');

-- name: WaitingDepositAccounts :many
SELECT * FROM deposit_accounts WHERE status = 'provisioning' AND tried_at < $1 ORDER BY tried_at, id LIMIT $2;

-- name: SwitchingDepositAccounts :many
SELECT * FROM deposit_accounts WHERE wanted <> '' AND tried_at < $1 ORDER BY tried_at, id LIMIT $2;

-- name: DepositAccountsToPoll :many
SELECT * FROM deposit_accounts WHERE status = 'active' AND polled_at < $1 ORDER BY polled_at, id LIMIT $2;

-- The lists below are the beginnings of queries: deposit_accounts.go adds order and page.

-- name: CountDepositAccounts :one
SELECT CAST(COUNT(*) AS BIGINT) FROM deposit_accounts WHERE workspace_id = $1;

-- name: ListDepositAccounts :many
SELECT * FROM deposit_accounts WHERE workspace_id = $1;

-- name: AllDepositAccounts :many
SELECT * FROM deposit_accounts WHERE id <> '';

-- name: InsertDepositEvent :execrows
INSERT INTO deposit_events (workspace_id, id, account_id, event_id, deposit_id, type, raw_type, amount, currency, occurred_at,
    recorded_at, body, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
ON CONFLICT (workspace_id, account_id, event_id) DO NOTHING;

-- name: CountDepositEvents :one
SELECT CAST(COUNT(*) AS BIGINT) FROM deposit_events WHERE workspace_id = $1 AND account_id = $2;

-- name: ListDepositEvents :many
SELECT * FROM deposit_events WHERE workspace_id = $1 AND account_id = $2;

-- name: KnownDepositEvents :many
SELECT event_id FROM deposit_events WHERE workspace_id = $1 AND account_id = $2;
