-- name: InsertRecovery :execrows
INSERT INTO recoveries (workspace_id, id, sub_organization_id, user_id, email, state, bundle, body, fingerprint, credential_id,
    label, email_only, proof, owed, unfinished, ready_at, created_at, updated_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, '', '', '', '', 0, '', '', 1, 0, $8, $9, $10)
ON CONFLICT (workspace_id, id) DO NOTHING;

-- name: Recovery :one
SELECT * FROM recoveries WHERE workspace_id = $1 AND id = $2;

-- name: RecoveryOfPasskey :one
SELECT * FROM recoveries WHERE workspace_id = $1 AND credential_id = $2 ORDER BY created_at DESC, id DESC LIMIT 1;

-- name: TryRecovery :execrows
UPDATE recoveries
SET body = sqlc.arg('body'), fingerprint = sqlc.arg('fingerprint'), credential_id = sqlc.arg('credential_id'), label = sqlc.arg('label'),
    updated_at = sqlc.arg('now')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND state = 'requested' AND fingerprint = sqlc.arg('tried');

-- name: MoveRecovery :execrows
UPDATE recoveries
SET state = sqlc.arg('to_state'), proof = sqlc.arg('proof'), email_only = sqlc.arg('email_only'), ready_at = sqlc.arg('ready_at'),
    owed = owed || CAST(sqlc.arg('notice') AS TEXT), updated_at = sqlc.arg('now'),
    unfinished = CASE WHEN CAST(sqlc.arg('to_state') AS TEXT) IN ('requested', 'pending') OR bundle <> ''
        OR owed || CAST(sqlc.arg('notice') AS TEXT) <> '' THEN 1 ELSE 0 END
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND state = sqlc.arg('from_state');

-- name: MailedRecovery :execrows
UPDATE recoveries
SET bundle = '', owed = sqlc.arg('owed'), updated_at = sqlc.arg('now'),
    unfinished = CASE WHEN state IN ('requested', 'pending') OR CAST(sqlc.arg('owed') AS TEXT) <> '' THEN 1 ELSE 0 END
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND owed = sqlc.arg('was_owed');

-- name: TouchRecovery :exec
UPDATE recoveries SET updated_at = sqlc.arg('now') WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id');

-- name: WaitingRecoveries :many
SELECT * FROM recoveries WHERE unfinished = 1 AND updated_at < sqlc.arg('before') ORDER BY updated_at, id LIMIT sqlc.arg('most');

-- name: EarlierRecoveries :one
SELECT CAST(COUNT(*) AS BIGINT) FROM recoveries
WHERE workspace_id = sqlc.arg('workspace_id') AND email = sqlc.arg('email') AND created_at >= sqlc.arg('since')
  AND (created_at < sqlc.arg('created_at') OR created_at = sqlc.arg('created_at') AND id < sqlc.arg('id'));

-- name: SetRecoveryRule :exec
UPDATE sub_organizations
SET recovery_public_key = sqlc.arg('recovery_public_key'), email_only = sqlc.arg('email_only'), recovery_at = sqlc.arg('at')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND recovery_at <= sqlc.arg('at');

-- name: AdminEmails :many
SELECT email FROM members WHERE workspace_id = $1 AND role = 'admin' ORDER BY email;
