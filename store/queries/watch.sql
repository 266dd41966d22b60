-- name: WatchCursor :one
SELECT * FROM watch_cursors WHERE chain = $1;

-- name: BeginWatch :execrows
INSERT INTO watch_cursors (chain, number, hash, version) VALUES ($1, $2, $3, 1)
ON CONFLICT (chain) DO NOTHING;

-- A database that was put back may have come to the same version by another way: the block is compared as well, since
-- what is between its block and the new one would never be read.
-- name: MoveWatch :execrows
UPDATE watch_cursors SET number = sqlc.arg('number'), hash = sqlc.arg('hash'), version = version + 1
WHERE chain = sqlc.arg('chain') AND version = sqlc.arg('version')
    AND number = sqlc.arg('was_number') AND hash = sqlc.arg('was_hash');

-- name: WatchBlocks :many
SELECT * FROM watch_blocks WHERE chain = $1 ORDER BY number DESC;

-- name: RememberBlock :exec
INSERT INTO watch_blocks (chain, number, hash) VALUES ($1, $2, $3)
ON CONFLICT (chain, number) DO UPDATE SET hash = excluded.hash;

-- name: ForgetBlocksBelow :exec
DELETE FROM watch_blocks WHERE chain = $1 AND number < $2;

-- name: ForgetBlocksAbove :exec
DELETE FROM watch_blocks WHERE chain = $1 AND number > $2;

-- name: ListWalletOwners :many
SELECT d.lookup, d.workspace_id, a.wallet_id AS owner_id FROM address_directory d
JOIN addresses a ON a.workspace_id = d.workspace_id AND a.id = d.address_id
WHERE d.kind = $1;

-- name: ListWithdrawOwners :many
SELECT lookup, workspace_id, withdraw_address_id AS owner_id FROM withdraw_directory
WHERE lookup <> '';

-- name: ClaimWithdrawAddress :exec
INSERT INTO withdraw_directory (lookup, workspace_id, withdraw_address_id) VALUES ($1, $2, $3)
ON CONFLICT (lookup) DO NOTHING;

-- name: WithdrawOwner :one
SELECT * FROM withdraw_directory WHERE lookup = $1;

-- name: AskRescan :exec
INSERT INTO watch_rescans (id, chain, lookup)
SELECT c.chain || ' ' || CAST(sqlc.arg('lookup') AS TEXT), c.chain, CAST(sqlc.arg('lookup') AS TEXT)
FROM watch_cursors c WHERE c.chain <> ''
ON CONFLICT (id) DO NOTHING;

-- name: Rescans :many
SELECT * FROM watch_rescans WHERE chain = $1 ORDER BY id LIMIT $2;

-- name: EndRescan :exec
DELETE FROM watch_rescans WHERE id = $1;

-- name: StandingTransfers :many
SELECT * FROM transfers
WHERE chain = sqlc.arg('chain') AND state IN ('seen', 'final')
  AND block_number >= sqlc.arg('from_block') AND block_number <= sqlc.arg('to_block')
ORDER BY block_number, log_index;

-- name: SeeTransfer :one
INSERT INTO transfers (workspace_id, id, owner_kind, owner_id, chain, tx_hash, ordinal, log_index, token, token_symbol,
    decimals, from_address, to_address, amount, units, state, block_number, block_hash, created_at, updated_at, final_at,
    mined_at, senders)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 'seen', $16, $17, $18, $18, 0, $19, $20)
ON CONFLICT (workspace_id, chain, tx_hash, token, to_address, ordinal) DO UPDATE
SET log_index = excluded.log_index, from_address = excluded.from_address, amount = excluded.amount, units = excluded.units,
    state = 'seen', block_number = excluded.block_number, block_hash = excluded.block_hash, updated_at = excluded.updated_at,
    mined_at = excluded.mined_at, senders = excluded.senders
WHERE transfers.state = 'dropped'
RETURNING *;

-- name: DropElsewhere :one
UPDATE transfers SET state = 'dropped', updated_at = sqlc.arg('now')
WHERE workspace_id = sqlc.arg('workspace_id') AND chain = sqlc.arg('chain') AND tx_hash = sqlc.arg('tx_hash')
  AND token = sqlc.arg('token') AND to_address = sqlc.arg('to_address') AND ordinal = sqlc.arg('ordinal')
  AND state IN ('seen', 'final') AND block_hash <> sqlc.arg('block_hash')
RETURNING *;

-- name: UnsettledTokens :many
SELECT DISTINCT token FROM transfers
WHERE chain = sqlc.arg('chain') AND state = 'seen' AND block_number <= sqlc.arg('up_to') ORDER BY token;

-- The text has the addresses of tokens of which nothing becomes final now.
-- name: SettleTransfers :many
UPDATE transfers
SET state = 'final', updated_at = sqlc.arg('now'), final_at = CASE WHEN final_at = 0 THEN sqlc.arg('now') ELSE final_at END
WHERE chain = sqlc.arg('chain') AND state = 'seen' AND block_number <= sqlc.arg('up_to')
  AND REPLACE(CAST(sqlc.arg('held') AS TEXT), token, '') = CAST(sqlc.arg('held') AS TEXT)
RETURNING *;

-- name: UndoTransfers :many
UPDATE transfers SET state = 'dropped', updated_at = sqlc.arg('now')
WHERE chain = sqlc.arg('chain') AND state IN ('seen', 'final') AND block_number > sqlc.arg('above')
RETURNING *;

-- name: DropTransfer :one
UPDATE transfers SET state = 'dropped', updated_at = sqlc.arg('now')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND state IN ('seen', 'final')
RETURNING *;

-- name: Transfer :one
SELECT * FROM transfers WHERE workspace_id = $1 AND id = $2;

-- name: TransfersOfTx :many
SELECT * FROM transfers WHERE workspace_id = $1 AND chain = $2 AND tx_hash = $3 ORDER BY log_index, id;

-- name: CountTransfers :one
SELECT CAST(COUNT(*) AS BIGINT) FROM transfers WHERE workspace_id = $1 AND owner_id = $2;

-- name: ListTransfers :many
SELECT * FROM transfers WHERE workspace_id = $1 AND owner_id = $2;

-- name: ListChangedTransfers :many
SELECT * FROM transfers WHERE owner_kind = $1;
