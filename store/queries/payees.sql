-- name: KeepPayee :execrows
-- Of two words of the enclave the later one stands, in whichever order they come. The same word again repairs the row,
-- and so does any word that replaces the row's seq.
INSERT INTO payees (workspace_id, id, sub_organization_id, name, folded_name, chain, address, kind, bank_account,
    added_at, removed_at, proof, seq, created_at)
VALUES (sqlc.arg('workspace_id'), sqlc.arg('id'), sqlc.arg('sub_organization_id'), sqlc.arg('name'),
    sqlc.arg('folded_name'), sqlc.arg('chain'), sqlc.arg('address'), sqlc.arg('kind'), sqlc.arg('bank_account'),
    sqlc.arg('added_at'), sqlc.arg('removed_at'), sqlc.arg('proof'), sqlc.arg('seq'), sqlc.arg('created_at'))
ON CONFLICT (workspace_id, id) DO UPDATE
SET sub_organization_id = excluded.sub_organization_id, name = excluded.name, folded_name = excluded.folded_name,
    chain = excluded.chain, address = excluded.address, kind = excluded.kind, bank_account = excluded.bank_account,
    added_at = excluded.added_at, removed_at = excluded.removed_at, proof = excluded.proof, seq = excluded.seq,
    created_at = excluded.created_at
WHERE payees.seq <= excluded.seq OR payees.seq = sqlc.arg('replaces');

-- name: Payee :one
SELECT * FROM payees WHERE workspace_id = $1 AND id = $2;

-- name: PayeesOf :many
SELECT * FROM payees WHERE workspace_id = $1 AND sub_organization_id = $2 ORDER BY created_at, id;

-- name: NewestPayeesOf :many
-- Those in the book first, which are never many, then those that were removed.
SELECT * FROM payees WHERE workspace_id = $1 AND sub_organization_id = $2
ORDER BY CASE WHEN removed_at = '' THEN 0 ELSE 1 END, created_at DESC, id DESC LIMIT $3;

-- name: InsertPayeeNotice :exec
INSERT INTO payee_notices (workspace_id, id, sub_organization_id, payee, mailed, updated_at)
VALUES ($1, $2, $3, $4, 0, $5)
ON CONFLICT (workspace_id, id) DO NOTHING;

-- name: PayeeNotice :one
SELECT * FROM payee_notices WHERE workspace_id = $1 AND id = $2;

-- name: WaitingPayeeNotices :many
SELECT * FROM payee_notices WHERE mailed = 0 AND updated_at < $1 ORDER BY updated_at, id LIMIT $2;

-- name: MovePayeeNotice :exec
UPDATE payee_notices SET mailed = sqlc.arg('mailed'), updated_at = sqlc.arg('now')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND mailed = 0;

-- The lists below are the beginnings of queries: lists.go adds conditions, order and page.

-- name: ListPayees :many
SELECT * FROM payees WHERE workspace_id = $1;

-- name: CountPayees :one
SELECT COUNT(*) FROM payees WHERE workspace_id = $1;
