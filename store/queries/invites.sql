-- name: PutInvite :exec
INSERT INTO recipient_invites (workspace_id, recipient_id, token_hash, sealed, account_id, created_at, expires_at, ended_at, email, mail_status)
VALUES ($1, $2, $3, $4, '', $5, $6, 0, $7, $8)
ON CONFLICT (workspace_id, recipient_id) DO UPDATE
SET token_hash = excluded.token_hash, sealed = excluded.sealed, account_id = '',
    created_at = excluded.created_at, expires_at = excluded.expires_at, ended_at = 0,
    email = excluded.email, mail_status = excluded.mail_status;

-- name: Invite :one
SELECT * FROM recipient_invites WHERE workspace_id = $1 AND recipient_id = $2;

-- name: UseInvite :execrows
UPDATE recipient_invites SET account_id = sqlc.arg('account_id')
WHERE workspace_id = sqlc.arg('workspace_id') AND recipient_id = sqlc.arg('recipient_id')
    AND token_hash = sqlc.arg('token_hash') AND account_id = sqlc.arg('replaced') AND ended_at = 0;

-- name: EndInvite :exec
UPDATE recipient_invites SET sealed = '', ended_at = sqlc.arg('now')
WHERE workspace_id = sqlc.arg('workspace_id') AND recipient_id = sqlc.arg('recipient_id') AND ended_at = 0;

-- name: InviteMailed :exec
UPDATE recipient_invites SET mail_status = sqlc.arg('mail_status')
WHERE workspace_id = sqlc.arg('workspace_id') AND recipient_id = sqlc.arg('recipient_id') AND token_hash = sqlc.arg('token_hash');

-- name: UnsentInvites :many
SELECT * FROM recipient_invites WHERE mail_status = 'queued' AND created_at < sqlc.arg('before') ORDER BY created_at LIMIT sqlc.arg('most');

-- name: ListInviteToken :exec
INSERT INTO recipient_invite_directory (token_hash, workspace_id, recipient_id, expires_at) VALUES ($1, $2, $3, $4);

-- name: InviteToken :one
SELECT * FROM recipient_invite_directory WHERE token_hash = $1;

-- name: DropInviteTokens :exec
DELETE FROM recipient_invite_directory WHERE expires_at < sqlc.arg('before');
