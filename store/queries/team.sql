-- name: InsertMember :execrows
INSERT INTO members (workspace_id, id, email, folded_email, role, language, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT DO NOTHING;

-- name: Member :one
SELECT * FROM members WHERE workspace_id = $1 AND id = $2;

-- name: MemberByEmail :one
SELECT * FROM members WHERE workspace_id = $1 AND folded_email = $2;

-- name: LockAdmins :execrows
-- Counts them and holds their rows until the transaction ends: who waited for
-- another's demotion counts again what that has left.
UPDATE members SET updated_at = updated_at WHERE workspace_id = sqlc.arg('workspace_id') AND role = 'admin';

-- name: SetRole :execrows
UPDATE members SET role = sqlc.arg('role'), updated_at = sqlc.arg('now')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id');

-- name: DeleteMember :execrows
DELETE FROM members WHERE workspace_id = $1 AND id = $2;

-- name: InsertInvitation :execrows
INSERT INTO invitations (workspace_id, id, email, folded_email, role, state, mail_status, language, created_at, expires_at, ended_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
ON CONFLICT DO NOTHING;

-- name: ListInvitationToken :exec
INSERT INTO invitation_directory (token_hash, workspace_id, invitation_id) VALUES ($1, $2, $3)
ON CONFLICT (token_hash) DO NOTHING;

-- name: Invitation :one
SELECT * FROM invitations WHERE workspace_id = $1 AND id = $2;

-- name: InvitationByToken :one
SELECT i.* FROM invitation_directory d
JOIN invitations i ON i.workspace_id = d.workspace_id AND i.id = d.invitation_id
WHERE d.token_hash = $1;

-- name: ReplaceInvitations :exec
UPDATE invitations SET state = 'replaced', ended_at = sqlc.arg('now')
WHERE workspace_id = sqlc.arg('workspace_id') AND folded_email = sqlc.arg('folded_email') AND state = 'pending';

-- name: EndInvitation :execrows
UPDATE invitations SET state = sqlc.arg('state'), ended_at = sqlc.arg('now')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND state = 'pending';

-- name: RevokeInvitationsOf :exec
UPDATE invitations SET state = 'revoked', ended_at = sqlc.arg('now')
WHERE invitations.workspace_id = sqlc.arg('workspace_id') AND state = 'pending' AND invitations.folded_email IN
  (SELECT m.folded_email FROM members m WHERE m.workspace_id = sqlc.arg('workspace_id') AND m.id = sqlc.arg('member_id'));

-- name: AcceptInvitation :execrows
UPDATE invitations SET state = 'accepted', ended_at = sqlc.arg('now')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND state = 'pending'
  AND expires_at > CAST(sqlc.arg('now') AS BIGINT);

-- name: SetMailStatus :execrows
UPDATE invitations SET mail_status = sqlc.arg('status')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND state = 'pending';

-- name: UnsentInvitations :many
SELECT * FROM invitations WHERE state = 'pending' AND mail_status = 'queued' AND expires_at > $1 AND created_at < $2
ORDER BY expires_at, id LIMIT 100;

-- The lists below are the beginnings of queries: lists.go adds order and page.

-- name: ListMembers :many
SELECT * FROM members WHERE workspace_id = $1;

-- name: CountMembers :one
SELECT COUNT(*) FROM members WHERE workspace_id = $1;

-- name: ListInvitations :many
SELECT * FROM invitations WHERE workspace_id = $1;

-- name: CountInvitations :one
SELECT COUNT(*) FROM invitations WHERE workspace_id = $1;
