-- name: BehindWorkspaces :many
-- Workspaces with events of which it is not decided who is told.
SELECT h.workspace_id, CAST(COALESCE(c.seq, 0) AS BIGINT) AS seq, h.events
FROM audit_heads h LEFT JOIN notification_cursors c ON c.workspace_id = h.workspace_id
WHERE h.events > COALESCE(c.seq, 0)
ORDER BY h.workspace_id;

-- name: BeginNotificationCursor :exec
INSERT INTO notification_cursors (workspace_id, seq) VALUES ($1, 0) ON CONFLICT DO NOTHING;

-- name: MoveNotificationCursor :execrows
UPDATE notification_cursors SET seq = sqlc.arg('to_seq')
WHERE workspace_id = sqlc.arg('workspace_id') AND seq = sqlc.arg('from_seq');

-- name: InsertNotification :exec
INSERT INTO notifications (workspace_id, id, class, kind, subject, email, folded_email, fact, due_at, created_at, mail_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, '')
ON CONFLICT DO NOTHING;

-- name: DuePeople :many
SELECT workspace_id, folded_email, class, CAST(MAX(CASE WHEN kind = 'request_expiring' THEN 1 ELSE 0 END) AS BIGINT) AS urgent
FROM notifications
WHERE mail_id = '' AND due_at <= sqlc.arg('now')
GROUP BY workspace_id, folded_email, class
ORDER BY MIN(due_at)
LIMIT sqlc.arg('most');

-- name: LastNotificationMail :one
SELECT CAST(COALESCE(MAX(created_at), 0) AS BIGINT) AS at FROM notification_mails
WHERE workspace_id = $1 AND folded_email = $2 AND class = $3 AND status <> 'dropped';

-- name: PostponeNotifications :exec
UPDATE notifications SET due_at = sqlc.arg('until')
WHERE workspace_id = sqlc.arg('workspace_id') AND folded_email = sqlc.arg('folded_email') AND class = sqlc.arg('class')
  AND mail_id = '' AND due_at < sqlc.arg('until') AND (due_at <= sqlc.arg('now') OR kind <> 'request_expiring');

-- name: GatherNotifications :many
UPDATE notifications SET mail_id = sqlc.arg('mail_id')
WHERE workspace_id = sqlc.arg('workspace_id') AND folded_email = sqlc.arg('folded_email') AND class = sqlc.arg('class')
  AND mail_id = '' AND (due_at <= sqlc.arg('now') OR kind <> 'request_expiring')
RETURNING email;

-- name: InsertNotificationMail :exec
INSERT INTO notification_mails (workspace_id, id, class, email, folded_email, status, created_at)
VALUES ($1, $2, $3, $4, $5, 'queued', $6);

-- name: NotificationMail :one
SELECT * FROM notification_mails WHERE workspace_id = $1 AND id = $2;

-- name: NotificationsOfMail :many
SELECT * FROM notifications WHERE workspace_id = $1 AND mail_id = $2 ORDER BY created_at, id;

-- name: NotificationMailed :exec
UPDATE notification_mails SET status = sqlc.arg('status')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND status = 'queued';

-- name: UnsentNotificationMails :many
SELECT * FROM notification_mails WHERE status = 'queued' AND created_at < $1 ORDER BY created_at LIMIT $2;

-- name: DropNotifications :exec
DELETE FROM notifications WHERE created_at < $1;

-- name: DropNotificationMails :exec
DELETE FROM notification_mails WHERE created_at < $1;

-- name: AdminMembers :many
SELECT * FROM members WHERE workspace_id = $1 AND role = 'admin' ORDER BY created_at, id;

-- name: PasskeyUsers :many
SELECT user_id, email FROM passkeys WHERE workspace_id = $1 AND sub_organization_id = $2 ORDER BY created_at, id;

-- name: SetMemberMails :execrows
-- The member writes these two for itself; nobody else changes them.
UPDATE members SET language = sqlc.arg('language'), muted = sqlc.arg('muted'), updated_at = sqlc.arg('now')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id');
