-- name: ClaimCredential :execrows
INSERT INTO login_passkey_directory (credential_id, workspace_id, passkey_id) VALUES ($1, $2, $3)
ON CONFLICT (credential_id) DO NOTHING;

-- name: InsertLoginPasskey :exec
INSERT INTO login_passkeys (workspace_id, id, member_id, credential, label, created_at, last_used_at)
VALUES ($1, $2, $3, $4, $5, $6, $7);

-- name: LoginPasskeyByCredential :one
SELECT p.* FROM login_passkey_directory d
JOIN login_passkeys p ON p.workspace_id = d.workspace_id AND p.id = d.passkey_id
WHERE d.credential_id = $1;

-- name: LoginPasskeys :many
SELECT * FROM login_passkeys WHERE workspace_id = $1 AND member_id = $2 ORDER BY created_at, id;

-- name: UseLoginPasskey :execrows
UPDATE login_passkeys SET credential = sqlc.arg('credential'), last_used_at = sqlc.arg('now')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND credential = sqlc.arg('old');

-- name: LockLoginPasskeys :exec
-- Holds their rows until the transaction ends. It does not count them: after a
-- wait it has not seen the row that the one before it added.
UPDATE login_passkeys SET last_used_at = last_used_at WHERE workspace_id = sqlc.arg('workspace_id') AND member_id = sqlc.arg('member_id');

-- name: CountLoginPasskeys :one
SELECT COUNT(*) FROM login_passkeys WHERE workspace_id = $1 AND member_id = $2;

-- name: DeleteLoginPasskey :execrows
DELETE FROM login_passkeys WHERE workspace_id = $1 AND member_id = $2 AND id = $3;

-- name: UnlistLoginPasskey :exec
DELETE FROM login_passkey_directory WHERE workspace_id = $1 AND passkey_id = $2;

-- name: UnlistLoginPasskeysOf :exec
DELETE FROM login_passkey_directory WHERE login_passkey_directory.workspace_id = sqlc.arg('workspace_id') AND passkey_id IN
  (SELECT p.id FROM login_passkeys p WHERE p.workspace_id = sqlc.arg('workspace_id') AND p.member_id = sqlc.arg('member_id'));

-- name: DeleteLoginPasskeysOf :exec
DELETE FROM login_passkeys WHERE workspace_id = $1 AND member_id = $2;

-- name: InsertLoginChallenge :exec
INSERT INTO login_challenges (hash, purpose, expires_at) VALUES ($1, $2, $3);

-- name: TakeLoginChallenge :execrows
DELETE FROM login_challenges WHERE hash = $1 AND purpose = $2 AND expires_at > $3;

-- name: DropLoginChallenges :exec
DELETE FROM login_challenges WHERE expires_at <= $1;

-- name: InsertSession :exec
INSERT INTO sessions (workspace_id, id, member_id, token_hash, before_hash, salt, created_at, rotated_at, expires_at, revoked_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- name: ListRefreshToken :exec
INSERT INTO refresh_directory (token_hash, workspace_id, session_id, expires_at) VALUES ($1, $2, $3, $4);

-- name: SessionByToken :one
SELECT sqlc.embed(s), sqlc.embed(m), sqlc.embed(w)
FROM refresh_directory d
JOIN sessions s ON s.workspace_id = d.workspace_id AND s.id = d.session_id
JOIN members m ON m.workspace_id = s.workspace_id AND m.id = s.member_id
JOIN workspaces w ON w.id = s.workspace_id
WHERE d.token_hash = $1;

-- name: Session :one
SELECT sqlc.embed(s), sqlc.embed(m), sqlc.embed(w)
FROM sessions s
JOIN members m ON m.workspace_id = s.workspace_id AND m.id = s.member_id
JOIN workspaces w ON w.id = s.workspace_id
WHERE s.workspace_id = $1 AND s.id = $2;

-- name: SessionsOf :many
SELECT * FROM sessions WHERE workspace_id = $1 AND member_id = $2 AND revoked_at = 0 ORDER BY created_at, id;

-- name: RotateSession :execrows
UPDATE sessions SET before_hash = token_hash, token_hash = sqlc.arg('next'), salt = sqlc.arg('salt'), rotated_at = sqlc.arg('now')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND token_hash = sqlc.arg('token_hash') AND revoked_at = 0;

-- name: RevokeSession :execrows
UPDATE sessions SET revoked_at = sqlc.arg('now')
WHERE workspace_id = sqlc.arg('workspace_id') AND member_id = sqlc.arg('member_id') AND id = sqlc.arg('id') AND revoked_at = 0;

-- name: UnlistSessionsOf :exec
DELETE FROM refresh_directory WHERE refresh_directory.workspace_id = sqlc.arg('workspace_id') AND session_id IN
  (SELECT s.id FROM sessions s WHERE s.workspace_id = sqlc.arg('workspace_id') AND s.member_id = sqlc.arg('member_id'));

-- name: DeleteSessionsOf :exec
DELETE FROM sessions WHERE workspace_id = $1 AND member_id = $2;

-- name: DropRefreshTokens :exec
DELETE FROM refresh_directory WHERE expires_at < $1;

-- name: DropSessions :exec
DELETE FROM sessions WHERE expires_at < $1;
