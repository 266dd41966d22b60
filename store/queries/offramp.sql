-- name: InsertWithdrawAddress :execrows
INSERT INTO withdraw_addresses (workspace_id, id, reference, recipient_id, bank_account_id, chain, currency, destination, rail,
    wallet_id, return_address, status, partner_key, keyed_at, tried_at, customer_id, partner_wallet_id, partner_id, address,
    created_at, updated_at, next_wallet_id, next_return_address, next_return_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24)
ON CONFLICT (workspace_id, bank_account_id, chain, currency) DO NOTHING;

-- name: WithdrawAddress :one
SELECT * FROM withdraw_addresses WHERE workspace_id = $1 AND id = $2;

-- name: WithdrawAddressOf :one
SELECT * FROM withdraw_addresses
WHERE workspace_id = sqlc.arg('workspace_id') AND bank_account_id = sqlc.arg('bank_account_id')
  AND chain = sqlc.arg('chain') AND currency = sqlc.arg('currency');

-- name: WithdrawAddressByPartner :one
SELECT * FROM withdraw_addresses WHERE partner_id = $1 AND status = 'active';

-- name: WithdrawAddressesOf :many
SELECT * FROM withdraw_addresses WHERE workspace_id = $1 AND bank_account_id = $2 ORDER BY created_at, id;

-- name: TakeWithdrawAddress :execrows
UPDATE withdraw_addresses
SET tried_at = sqlc.arg('now'), partner_key = sqlc.arg('partner_key'), keyed_at = sqlc.arg('keyed_at')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND status = 'provisioning' AND tried_at = sqlc.arg('was');

-- name: LeaveWithdrawAddress :exec
UPDATE withdraw_addresses SET tried_at = 0
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND status = 'provisioning' AND tried_at = sqlc.arg('was');

-- name: FinishWithdrawAddress :execrows
UPDATE withdraw_addresses
SET status = 'active', customer_id = sqlc.arg('customer_id'), partner_wallet_id = sqlc.arg('partner_wallet_id'),
    partner_id = sqlc.arg('partner_id'), address = sqlc.arg('address'), updated_at = sqlc.arg('now')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND status = 'provisioning';

-- name: SetReturnAddress :execrows
UPDATE withdraw_addresses
SET wallet_id = sqlc.arg('wallet_id'), return_address = sqlc.arg('return_address'), next_wallet_id = sqlc.arg('next_wallet_id'),
    next_return_address = sqlc.arg('next_return_address'), next_return_at = sqlc.arg('next_return_at'), updated_at = sqlc.arg('now')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND wallet_id = sqlc.arg('was_wallet_id')
  AND next_wallet_id = sqlc.arg('was_next_wallet_id') AND next_return_at = sqlc.arg('was_next_return_at');

-- name: WaitingWithdrawAddresses :many
SELECT * FROM withdraw_addresses WHERE status = 'provisioning' AND tried_at < $1 ORDER BY tried_at, id LIMIT $2;

-- name: InsertVirtualAccount :execrows
INSERT INTO virtual_accounts (workspace_id, id, recipient_id, bank_account_id, withdraw_address_id, currency, status, partner_key,
    keyed_at, tried_at, partner_id, clabe, created_at, updated_at, fee_points)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
ON CONFLICT (workspace_id, bank_account_id, currency) DO NOTHING;

-- name: VirtualAccountOf :one
SELECT * FROM virtual_accounts WHERE workspace_id = $1 AND bank_account_id = $2 AND currency = $3;

-- name: VirtualAccountNumbered :one
SELECT * FROM virtual_accounts WHERE workspace_id = $1 AND clabe = $2 AND clabe <> '' ORDER BY created_at, id LIMIT 1;

-- name: VirtualAccount :one
SELECT * FROM virtual_accounts WHERE workspace_id = $1 AND id = $2;

-- name: VirtualAccountByPartner :one
SELECT * FROM virtual_accounts WHERE partner_id = $1 AND partner_id <> '';

-- name: VirtualAccountAt :one
SELECT * FROM virtual_accounts WHERE workspace_id = $1 AND withdraw_address_id = $2 ORDER BY created_at, id LIMIT 1;

-- name: VirtualAccountsToPoll :many
SELECT * FROM virtual_accounts WHERE partner_id <> '' AND polled_at < $1 ORDER BY polled_at, id LIMIT $2;

-- name: PolledVirtualAccount :exec
UPDATE virtual_accounts
SET polled_at = CASE WHEN polled_at < sqlc.arg('at') THEN sqlc.arg('at') ELSE polled_at END,
    activities_until = CASE WHEN activities_until < sqlc.arg('until') THEN sqlc.arg('until') ELSE activities_until END
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id');

-- name: TakeVirtualAccount :execrows
UPDATE virtual_accounts
SET tried_at = sqlc.arg('now'), partner_key = sqlc.arg('partner_key'), keyed_at = sqlc.arg('keyed_at')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND status = 'provisioning' AND tried_at = sqlc.arg('was');

-- name: LeaveVirtualAccount :exec
UPDATE virtual_accounts SET tried_at = 0
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND status = 'provisioning' AND tried_at = sqlc.arg('was');

-- name: FinishVirtualAccount :execrows
UPDATE virtual_accounts
SET status = 'active', partner_id = sqlc.arg('partner_id'), clabe = sqlc.arg('clabe'), updated_at = sqlc.arg('now')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND status = 'provisioning';

-- name: WaitingVirtualAccounts :many
SELECT * FROM virtual_accounts WHERE status = 'provisioning' AND tried_at < $1 ORDER BY tried_at, id LIMIT $2;

-- name: InsertDrain :execrows
INSERT INTO drains (workspace_id, id, withdraw_address_id, order_id, chain, currency, amount, from_address, tx_hash, log_index,
    block_number, confirmations, required, state, reason, booked, version, transfer_at, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
ON CONFLICT (workspace_id, id) DO NOTHING;

-- name: UpdateDrain :execrows
UPDATE drains
SET order_id = sqlc.arg('order_id'), amount = sqlc.arg('amount'), log_index = sqlc.arg('log_index'), block_number = sqlc.arg('block_number'),
    confirmations = sqlc.arg('confirmations'), state = sqlc.arg('state'), reason = sqlc.arg('reason'),
    booked = sqlc.arg('booked'), version = sqlc.arg('version'), transfer_at = sqlc.arg('transfer_at'), updated_at = sqlc.arg('updated_at')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND version = CAST(sqlc.arg('version') AS BIGINT) - 1;

-- name: Drain :one
SELECT * FROM drains WHERE workspace_id = $1 AND id = $2;

-- name: CountDrains :one
SELECT CAST(COUNT(*) AS BIGINT) FROM drains WHERE workspace_id = $1 AND withdraw_address_id = $2;

-- name: ListDrains :many
SELECT * FROM drains WHERE workspace_id = $1 AND withdraw_address_id = $2;
