-- name: InsertSubOrganization :execrows
INSERT INTO sub_organizations (workspace_id, id, user_id, email, name, recovery_public_key, proof, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (workspace_id, id) DO NOTHING;

-- name: SubOrganizations :many
SELECT * FROM sub_organizations WHERE workspace_id = $1 ORDER BY created_at, id;

-- name: SubOrganization :one
SELECT * FROM sub_organizations WHERE workspace_id = $1 AND id = $2;

-- name: InsertPasskey :execrows
INSERT INTO passkeys (workspace_id, id, sub_organization_id, user_id, email, credential_id, public_key,
    aaguid, transports, label, created_at, last_used_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
ON CONFLICT DO NOTHING;

-- name: Passkeys :many
SELECT * FROM passkeys WHERE workspace_id = $1 ORDER BY created_at, id;

-- name: PasskeysOf :many
SELECT * FROM passkeys WHERE workspace_id = $1 AND sub_organization_id = $2 ORDER BY created_at, id;

-- name: Passkey :one
SELECT * FROM passkeys WHERE workspace_id = $1 AND id = $2;

-- name: RenamePasskey :execrows
UPDATE passkeys SET label = $3 WHERE workspace_id = $1 AND id = $2;

-- name: TouchPasskey :exec
UPDATE passkeys SET last_used_at = sqlc.arg('at')
WHERE workspace_id = sqlc.arg('workspace_id') AND sub_organization_id = sqlc.arg('sub_organization_id')
  AND credential_id = sqlc.arg('credential_id') AND last_used_at < sqlc.arg('at');

-- name: InsertActivity :exec
INSERT INTO activities (workspace_id, id, kind, sub_organization_id, wallet_id, name, chain, paths, body,
    fingerprint, preview, state, created_at, updated_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
ON CONFLICT (workspace_id, id) DO NOTHING;

-- name: RetryActivity :execrows
UPDATE activities
SET name = sqlc.arg('name'), body = sqlc.arg('body'), fingerprint = sqlc.arg('fingerprint'),
    created_at = sqlc.arg('now'), updated_at = sqlc.arg('now'), expires_at = sqlc.arg('expires_at')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND state = sqlc.arg('state')
  AND fingerprint = sqlc.arg('tried');

-- name: Activity :one
SELECT * FROM activities WHERE workspace_id = $1 AND id = $2;

-- name: PendingPaths :many
SELECT paths FROM activities
WHERE workspace_id = $1 AND wallet_id = $2 AND state = $3 AND expires_at > $4
ORDER BY created_at, id;

-- name: WaitingActivities :many
SELECT * FROM activities
WHERE state = sqlc.arg('state') AND created_at < sqlc.arg('before')
  AND (created_at > sqlc.arg('after') OR (created_at = sqlc.arg('after') AND id > sqlc.arg('after_id')))
ORDER BY created_at, id LIMIT sqlc.arg('most');

-- name: MoveActivity :one
UPDATE activities
SET state = sqlc.arg('to_state'),
    wallet_id = COALESCE(NULLIF(CAST(sqlc.arg('wallet') AS TEXT), ''), wallet_id),
    updated_at = sqlc.arg('now')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND state = sqlc.arg('from_state')
RETURNING *;

-- name: ShowActivity :exec
UPDATE activities SET preview = sqlc.arg('preview')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND state = sqlc.arg('state');

-- name: InsertWallet :execrows
INSERT INTO wallets (workspace_id, id, enclave_id, sub_organization_id, name, folded_name, proof, created_at, last_activity)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (workspace_id, enclave_id) DO NOTHING;

-- name: Wallet :one
SELECT * FROM wallets WHERE workspace_id = $1 AND (id = $2 OR enclave_id = $2);

-- name: TouchWallet :exec
UPDATE wallets SET last_activity = $3 WHERE workspace_id = $1 AND id = $2 AND last_activity < $3;

-- name: InsertAddress :execrows
INSERT INTO addresses (workspace_id, id, wallet_id, address, lookup, kind, chain, name, path, curve,
    address_format, public_key, proof, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
ON CONFLICT (workspace_id, wallet_id, path) DO NOTHING;

-- name: ClaimAddress :exec
INSERT INTO address_directory (kind, lookup, workspace_id, address_id)
VALUES ($1, $2, $3, $4)
ON CONFLICT (kind, lookup) DO NOTHING;

-- name: AddressOwned :one
SELECT CAST(COUNT(*) AS BIGINT) FROM address_directory WHERE kind = $1 AND lookup = $2;

-- name: Addresses :many
SELECT * FROM addresses WHERE workspace_id = $1 AND wallet_id = $2 ORDER BY created_at, id;

-- name: ListAddresses :many
SELECT * FROM addresses WHERE workspace_id = $1;

-- name: OwnAddresses :many
-- The cross join keeps SQLite from going through all addresses of the workspace.
SELECT a.address, w.name FROM wallets w CROSS JOIN addresses a
WHERE w.workspace_id = $1 AND w.sub_organization_id = $2 AND a.workspace_id = w.workspace_id AND a.wallet_id = w.id ORDER BY a.created_at DESC, a.id DESC LIMIT $3;

-- name: PaidAddresses :many
-- The newest rows of the wallet are read, and no others, whatever has become of them.
SELECT p.to_address, CAST(MIN(p.created_at) AS BIGINT) AS first_at FROM (
    SELECT t.to_address, t.created_at, t.state FROM transactions t WHERE t.workspace_id = $1 AND t.wallet_id = $2
    ORDER BY t.created_at DESC, t.id DESC LIMIT $3
) p WHERE p.state IN ('broadcast', 'confirmed') GROUP BY p.to_address;

-- name: Address :one
SELECT * FROM addresses WHERE workspace_id = $1 AND id = $2;

-- name: AddressSpelled :one
SELECT * FROM addresses WHERE workspace_id = $1 AND lookup = $2 ORDER BY created_at, id LIMIT 1;

-- name: InsertTransaction :exec
INSERT INTO transactions (workspace_id, id, sub_organization_id, wallet_id, type, from_address, to_address,
    amount, token_address, token_symbol, chain, chain_id, body, fingerprint, preview, unsigned_transaction,
    fee, state, reason, nonce, signed_transaction, tx_hash, proof, block_number, block_hash, confirmations,
    attempts, expires_at, created_at, updated_at, broadcast_at, mined_at, confirmed_at, failed_at, held, replaces,
    replaced_by, stuck, look_at, nonce_used_head, since_block, last_height)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
    $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, $41, $42);

-- name: Transaction :one
SELECT * FROM transactions WHERE workspace_id = $1 AND id = $2;

-- name: MoveTransaction :one
UPDATE transactions
SET state              = sqlc.arg('to_state'),
    updated_at         = sqlc.arg('now'),
    reason             = COALESCE(sqlc.narg('reason'), reason),
    nonce              = COALESCE(sqlc.narg('nonce'), nonce),
    last_height        = COALESCE(sqlc.narg('last_height'), last_height),
    signed_transaction = COALESCE(sqlc.narg('signed_transaction'), signed_transaction),
    tx_hash            = COALESCE(sqlc.narg('tx_hash'), tx_hash),
    proof              = COALESCE(sqlc.narg('proof'), proof),
    block_number       = COALESCE(sqlc.narg('block_number'), block_number),
    block_hash         = COALESCE(sqlc.narg('block_hash'), block_hash),
    confirmations      = COALESCE(sqlc.narg('confirmations'), confirmations),
    attempts           = COALESCE(sqlc.narg('attempts'), attempts),
    broadcast_at       = COALESCE(sqlc.narg('broadcast_at'), broadcast_at),
    mined_at           = COALESCE(sqlc.narg('mined_at'), mined_at),
    confirmed_at       = COALESCE(sqlc.narg('confirmed_at'), confirmed_at),
    failed_at          = COALESCE(sqlc.narg('failed_at'), failed_at),
    held               = COALESCE(sqlc.narg('held'), held),
    stuck              = COALESCE(sqlc.narg('stuck'), stuck),
    look_at            = COALESCE(sqlc.narg('look_at'), look_at),
    nonce_used_head    = COALESCE(sqlc.narg('nonce_used_head'), nonce_used_head),
    received           = COALESCE(sqlc.narg('received'), received),
    received_less      = COALESCE(sqlc.narg('received_less'), received_less)
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND state = sqlc.arg('from_state')
RETURNING *;

-- name: Unsent :many
-- Walks down the nonces of one wallet's address, and only to the last one that is mined: what
-- is below that is used up, so a long history costs nothing. Of one nonce only the newest
-- counts, and not while one that it replaces is sent.
SELECT t.id FROM transactions t
WHERE t.workspace_id = sqlc.arg('workspace_id') AND t.chain = sqlc.arg('chain') AND t.from_address = sqlc.arg('from_address')
  AND t.wallet_id <> '' AND t.nonce < CAST(sqlc.arg('below') AS BIGINT) AND t.mined_at = 0 AND t.state IN ('pending', 'failed')
  AND t.replaced_by = '' AND NOT (t.replaces <> '' AND EXISTS (
    SELECT 1 FROM transactions o
    WHERE o.workspace_id = t.workspace_id AND o.chain = t.chain AND o.from_address = t.from_address AND o.wallet_id <> ''
      AND o.nonce = t.nonce AND o.state = 'broadcast'))
  AND t.nonce > COALESCE((SELECT m.nonce FROM transactions m
                          WHERE m.workspace_id = sqlc.arg('workspace_id') AND m.chain = sqlc.arg('chain')
                            AND m.from_address = sqlc.arg('from_address') AND m.wallet_id <> ''
                            AND m.nonce < CAST(sqlc.arg('below') AS BIGINT) AND m.mined_at > 0
                          ORDER BY m.nonce DESC LIMIT 1), -1)
ORDER BY t.nonce DESC LIMIT 20;

-- name: DropPayment :one
-- An agent's payment that was refused, or takes the place of an earlier try: its body can never be signed.
DELETE FROM transactions
WHERE workspace_id = $1 AND id = $2 AND fingerprint = $3 AND type = 'agent_payment' AND state = 'awaiting_signature'
RETURNING *;

-- name: ReplaceTransaction :one
-- What is signed for a nonce has one successor, and keeps it.
UPDATE transactions SET replaced_by = sqlc.arg('by'), updated_at = sqlc.arg('now'), look_at = sqlc.arg('now'), stuck = 0,
    reason = CASE WHEN stuck = 1 THEN '' ELSE reason END
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND nonce IS NOT NULL
  AND (replaced_by = '' OR replaced_by = sqlc.arg('by'))
RETURNING *;

-- The lists below are the beginnings of queries: lists.go adds conditions,
-- order and page.

-- name: ListWallets :many
SELECT * FROM wallets WHERE workspace_id = $1;

-- name: CountWallets :one
SELECT COUNT(*) FROM wallets WHERE workspace_id = $1;

-- name: ListPasskeys :many
SELECT * FROM passkeys WHERE workspace_id = $1;

-- name: CountPasskeys :one
SELECT COUNT(*) FROM passkeys WHERE workspace_id = $1;

-- name: ListTransactions :many
SELECT * FROM transactions WHERE workspace_id = $1;

-- name: CountTransactions :one
SELECT COUNT(*) FROM transactions WHERE workspace_id = $1;

-- name: ListWaiting :many
-- What is signed and held, or was replaced, is not the server's to send: it is only looked for.
SELECT * FROM transactions WHERE updated_at < $1 AND (state <> 'pending' OR held = 0 AND replaced_by = '');

-- name: UnsentDue :many
SELECT * FROM transactions
WHERE look_at > 0 AND mined_at = 0 AND state IN ('pending', 'failed') AND look_at <= sqlc.arg('now')
ORDER BY look_at, id LIMIT CAST(sqlc.arg('max') AS BIGINT);

-- name: LookLater :exec
-- A row that was sent meanwhile, is in a block, or was looked at by another server, is left as it is. The sum keeps
-- PostgreSQL from going by transactions_look, through all that are due, for each of them.
UPDATE transactions SET nonce_used_head = sqlc.arg('nonce_used_head'), look_at = sqlc.arg('next')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND look_at > 0 AND look_at <= sqlc.arg('now')
  AND mined_at + 0 = 0 AND state IN ('pending', 'failed');

-- name: TransactionSigned :one
-- The row of a body that was signed for a nonce of a wallet's address.
SELECT * FROM transactions
WHERE workspace_id = sqlc.arg('workspace_id') AND chain = sqlc.arg('chain') AND from_address = sqlc.arg('from_address')
  AND nonce = CAST(sqlc.arg('nonce') AS BIGINT) AND wallet_id <> '' AND fingerprint = sqlc.arg('fingerprint');

-- name: TransactionSignedOnce :one
-- The row of a body that was signed on a network without nonces.
SELECT * FROM transactions
WHERE workspace_id = sqlc.arg('workspace_id') AND nonce IS NULL AND signed_transaction <> ''
  AND fingerprint = sqlc.arg('fingerprint') AND chain = sqlc.arg('chain');
