-- name: InsertAlert :exec
INSERT INTO account_alerts (workspace_id, id, account_id, change, detail, actor_kind, actor_id, remote_ip, mail_id, used_at, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, '', 0, $9)
ON CONFLICT (workspace_id, id) DO NOTHING;

-- name: BatchAlerts :execrows
-- An account that the partner is still being asked about may come to nothing.
UPDATE account_alerts SET mail_id = sqlc.arg('mail_id')
WHERE account_alerts.workspace_id = sqlc.arg('workspace_id') AND mail_id = '' AND NOT EXISTS (
    SELECT 1 FROM bank_accounts b
    WHERE b.workspace_id = account_alerts.workspace_id AND b.id = account_alerts.account_id AND b.registration = 'provisioning');

-- name: NewestWaitingAlert :one
SELECT CAST(COALESCE(MAX(created_at), 0) AS BIGINT) FROM account_alerts WHERE workspace_id = $1 AND mail_id = '';

-- name: LastAlertMail :one
SELECT CAST(COALESCE(MAX(created_at), 0) AS BIGINT) FROM account_alert_mails WHERE workspace_id = $1;

-- name: Alerts :many
-- The newest of each kind for each account: many changes of one account must not push another's out of a mail.
SELECT sqlc.embed(n), sqlc.embed(a), r.name
FROM account_alerts n
JOIN bank_accounts a ON a.workspace_id = n.workspace_id AND a.id = n.account_id
JOIN recipients r ON r.workspace_id = a.workspace_id AND r.id = a.recipient_id
WHERE n.workspace_id = sqlc.arg('workspace_id') AND n.mail_id = sqlc.arg('mail_id') AND NOT EXISTS (
    SELECT 1 FROM account_alerts later
    WHERE later.workspace_id = n.workspace_id AND later.mail_id = n.mail_id AND later.account_id = n.account_id AND later.change = n.change
      AND (later.created_at > n.created_at OR later.created_at = n.created_at AND later.id > n.id))
ORDER BY n.created_at DESC, n.id DESC LIMIT sqlc.arg('most');

-- name: UseAlerts :execrows
UPDATE account_alerts SET used_at = sqlc.arg('now')
WHERE workspace_id = sqlc.arg('workspace_id') AND mail_id = sqlc.arg('mail_id') AND account_id = sqlc.arg('account_id') AND used_at = 0;

-- name: AlertReaders :many
SELECT id, email FROM members WHERE workspace_id = $1 AND role IN ('admin', 'manager') ORDER BY id;

-- name: InsertAlertMail :exec
INSERT INTO account_alert_mails (workspace_id, token_hash, mail_id, member_id, email, sealed, status, claimed_at, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, 'queued', 0, $7, $8);

-- name: ListAlertToken :exec
INSERT INTO account_alert_directory (token_hash, workspace_id, expires_at) VALUES ($1, $2, $3);

-- name: QueuedAlertMails :many
SELECT * FROM account_alert_mails WHERE workspace_id = $1 AND status = 'queued' ORDER BY created_at, token_hash;

-- name: AlertMail :one
-- Whoever was removed from the workspace has no power over its accounts any more.
SELECT m.* FROM account_alert_directory d
JOIN account_alert_mails m ON m.workspace_id = d.workspace_id AND m.token_hash = d.token_hash
JOIN members who ON who.workspace_id = m.workspace_id AND who.id = m.member_id
WHERE d.token_hash = $1;

-- name: ClaimAlertMail :execrows
UPDATE account_alert_mails SET claimed_at = sqlc.arg('now')
WHERE workspace_id = sqlc.arg('workspace_id') AND token_hash = sqlc.arg('token_hash') AND status = 'queued' AND claimed_at <= sqlc.arg('before');

-- name: ReleaseAlertMail :exec
UPDATE account_alert_mails SET claimed_at = 0 WHERE workspace_id = $1 AND token_hash = $2;

-- name: AlertMailed :exec
UPDATE account_alert_mails SET status = sqlc.arg('status'), sealed = ''
WHERE workspace_id = sqlc.arg('workspace_id') AND token_hash = sqlc.arg('token_hash');

-- name: UnsentAlerts :many
-- The workspaces whose mails wait, or whose changes stand in none.
SELECT workspace_id FROM account_alerts WHERE mail_id = '' AND account_alerts.created_at < sqlc.arg('before')
UNION
SELECT workspace_id FROM account_alert_mails WHERE status = 'queued' AND account_alert_mails.created_at < sqlc.arg('before')
LIMIT sqlc.arg('most');

-- name: DropAlertTokens :exec
DELETE FROM account_alert_directory WHERE expires_at < sqlc.arg('before');

-- name: DropAlertMails :exec
DELETE FROM account_alert_mails WHERE expires_at < sqlc.arg('before') AND status <> 'queued';

-- name: DropAlerts :exec
-- Those of mails that are gone.
DELETE FROM account_alerts WHERE mail_id <> '' AND NOT EXISTS (
    SELECT 1 FROM account_alert_mails m WHERE m.workspace_id = account_alerts.workspace_id AND m.mail_id = account_alerts.mail_id);

-- name: DropReturnChanges :exec
UPDATE withdraw_addresses SET next_wallet_id = '', next_return_address = '', next_return_at = 0, updated_at = sqlc.arg('now')
WHERE workspace_id = sqlc.arg('workspace_id') AND bank_account_id = sqlc.arg('bank_account_id') AND next_return_at > sqlc.arg('now');
