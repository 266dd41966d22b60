-- name: InsertWebhookEndpoint :exec
INSERT INTO webhook_endpoints (workspace_id, id, url, description, types, status, reason, secret_version, sealed, old_sealed,
    old_until, created_at, updated_at, lease, leased_until, event_cursor, replay_after, replay_to, replay_all, next_at,
    paused_until, failures, failing_since)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, '', 0, $10, $10, '', 0, -1, 0, 0, 0, 0, 0, 0, 0);

-- name: WebhookEndpoint :one
SELECT * FROM webhook_endpoints WHERE workspace_id = $1 AND id = $2 AND status <> 'deleted';

-- name: HoldWebhookEndpoint :one
UPDATE webhook_endpoints SET updated_at = updated_at WHERE workspace_id = $1 AND id = $2 AND status <> 'deleted' RETURNING *;

-- name: CountWebhookEndpoints :one
SELECT COUNT(*) FROM webhook_endpoints WHERE workspace_id = $1 AND status <> 'deleted';

-- name: ListWebhookEndpoints :many
SELECT * FROM webhook_endpoints WHERE workspace_id = $1 AND status <> 'deleted';

-- name: UpdateWebhookEndpoint :exec
UPDATE webhook_endpoints
SET url = sqlc.arg('url'), description = sqlc.arg('description'), types = sqlc.arg('types'), status = sqlc.arg('status'),
    reason = sqlc.arg('reason'), secret_version = sqlc.arg('secret_version'), sealed = sqlc.arg('sealed'),
    old_sealed = sqlc.arg('old_sealed'), old_until = sqlc.arg('old_until'), updated_at = sqlc.arg('updated_at'),
    event_cursor = sqlc.arg('event_cursor'), replay_after = sqlc.arg('replay_after'), replay_to = sqlc.arg('replay_to'),
    replay_all = sqlc.arg('replay_all'), next_at = sqlc.arg('next_at'), paused_until = sqlc.arg('paused_until'),
    lease = sqlc.arg('lease'), leased_until = sqlc.arg('leased_until'), failures = sqlc.arg('failures'), failing_since = sqlc.arg('failing_since')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id');

-- name: WaitingWebhookEndpoints :many
-- Those that nobody works on and for which there is something to do, the longest neglected first.
SELECT e.workspace_id, e.id FROM webhook_endpoints e JOIN audit_heads h ON h.workspace_id = e.workspace_id
WHERE e.status = 'active' AND e.leased_until <= sqlc.arg('now') AND e.paused_until <= sqlc.arg('now')
  AND (h.events > e.event_cursor OR e.replay_to > e.replay_after OR (e.next_at > 0 AND e.next_at <= sqlc.arg('now')))
ORDER BY e.leased_until, e.id LIMIT sqlc.arg('most');

-- name: ClaimWebhookEndpoint :one
-- Something is to be done, for whoever comes after the lease where its server dies: only that knows when the next is due.
UPDATE webhook_endpoints SET lease = sqlc.arg('lease'), leased_until = sqlc.arg('until'), next_at = sqlc.arg('now')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND status = 'active'
  AND leased_until <= sqlc.arg('now') RETURNING *;

-- name: RenewWebhookLease :one
UPDATE webhook_endpoints SET leased_until = sqlc.arg('until')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND status = 'active' AND lease = sqlc.arg('lease')
RETURNING *;

-- name: SaveWebhookWork :execrows
UPDATE webhook_endpoints
SET leased_until = sqlc.arg('until'), event_cursor = sqlc.arg('event_cursor'), replay_after = sqlc.arg('replay_after'),
    next_at = sqlc.arg('next_at'), paused_until = sqlc.arg('paused_until'), failures = sqlc.arg('failures'),
    failing_since = sqlc.arg('failing_since')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND lease = sqlc.arg('lease');

-- name: InsertWebhookDeliveries :exec
INSERT INTO webhook_deliveries (workspace_id, endpoint_id, seq, id, type, object_id, since, created_at, status, reason, tries,
    attempts, due_at, ended_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'waiting', '', 0, '[]', 0, 0);

-- name: ReopenWebhookDelivery :exec
UPDATE webhook_deliveries SET status = 'waiting', reason = '', tries = 0, since = sqlc.arg('now'), ended_at = 0
WHERE workspace_id = sqlc.arg('workspace_id') AND endpoint_id = sqlc.arg('endpoint_id') AND seq = sqlc.arg('seq');

-- What is waiting or pending has a query of each status: SQLite reads all deliveries of the endpoint for the two at once,
-- and only the index of its status for one.

-- name: RefreshPendingWebhooks :exec
UPDATE webhook_deliveries SET tries = 0, since = sqlc.arg('now'), due_at = sqlc.arg('now')
WHERE workspace_id = sqlc.arg('workspace_id') AND endpoint_id = sqlc.arg('endpoint_id') AND status = 'pending';

-- name: RefreshWaitingWebhooks :exec
UPDATE webhook_deliveries SET tries = 0, since = sqlc.arg('now')
WHERE workspace_id = sqlc.arg('workspace_id') AND endpoint_id = sqlc.arg('endpoint_id') AND status = 'waiting';

-- name: PromoteWebhookDelivery :exec
-- The earliest about an object becomes pending, unless another one is.
UPDATE webhook_deliveries SET status = 'pending', since = sqlc.arg('now'), due_at = sqlc.arg('now')
WHERE webhook_deliveries.workspace_id = sqlc.arg('workspace_id') AND webhook_deliveries.endpoint_id = sqlc.arg('endpoint_id')
  AND webhook_deliveries.status = 'waiting' AND webhook_deliveries.seq = (
    SELECT w.seq FROM webhook_deliveries w
    WHERE w.workspace_id = sqlc.arg('workspace_id') AND w.endpoint_id = sqlc.arg('endpoint_id')
      AND w.object_id = sqlc.arg('object_id') AND w.status = 'waiting'
    ORDER BY w.seq LIMIT 1)
  AND NOT EXISTS (
    SELECT 1 FROM webhook_deliveries p
    WHERE p.workspace_id = sqlc.arg('workspace_id') AND p.endpoint_id = sqlc.arg('endpoint_id')
      AND p.object_id = sqlc.arg('object_id') AND p.status = 'pending');

-- name: DueWebhookDeliveries :many
SELECT sqlc.embed(d), COALESCE(e.at, 0) AS event_at, COALESCE(e.data, '') AS event_data
FROM webhook_deliveries d LEFT JOIN events e ON e.workspace_id = d.workspace_id AND e.seq = d.seq
WHERE d.workspace_id = sqlc.arg('workspace_id') AND d.endpoint_id = sqlc.arg('endpoint_id') AND d.status = 'pending'
  AND d.due_at <= sqlc.arg('now')
ORDER BY d.due_at, d.seq LIMIT sqlc.arg('most');

-- name: NextWebhookDelivery :one
SELECT CAST(COALESCE(MIN(due_at), 0) AS BIGINT) FROM webhook_deliveries
WHERE workspace_id = $1 AND endpoint_id = $2 AND status = 'pending';

-- name: EndWebhookAttempt :execrows
-- One that was begun anew while the attempt was made stays as it is: it is still to be sent.
UPDATE webhook_deliveries
SET status = sqlc.arg('status'), reason = sqlc.arg('reason'), tries = sqlc.arg('tries'), attempts = sqlc.arg('attempts'),
    due_at = sqlc.arg('due_at'), ended_at = sqlc.arg('ended_at')
WHERE workspace_id = sqlc.arg('workspace_id') AND endpoint_id = sqlc.arg('endpoint_id') AND seq = sqlc.arg('seq')
  AND status = 'pending' AND since = sqlc.arg('since');

-- name: ExpirePendingWebhooks :many
UPDATE webhook_deliveries SET status = 'failed', reason = 'expired', ended_at = sqlc.arg('now')
WHERE workspace_id = sqlc.arg('workspace_id') AND endpoint_id = sqlc.arg('endpoint_id') AND status = 'pending'
  AND since < sqlc.arg('before')
RETURNING object_id;

-- name: ExpireWaitingWebhooks :many
UPDATE webhook_deliveries SET status = 'failed', reason = 'expired', ended_at = sqlc.arg('now')
WHERE workspace_id = sqlc.arg('workspace_id') AND endpoint_id = sqlc.arg('endpoint_id') AND status = 'waiting'
  AND since < sqlc.arg('before')
RETURNING object_id;

-- name: CancelPendingWebhooks :exec
UPDATE webhook_deliveries SET status = 'canceled', reason = sqlc.arg('reason'), ended_at = sqlc.arg('now')
WHERE workspace_id = sqlc.arg('workspace_id') AND endpoint_id = sqlc.arg('endpoint_id') AND status = 'pending';

-- name: CancelWaitingWebhooks :exec
UPDATE webhook_deliveries SET status = 'canceled', reason = sqlc.arg('reason'), ended_at = sqlc.arg('now')
WHERE workspace_id = sqlc.arg('workspace_id') AND endpoint_id = sqlc.arg('endpoint_id') AND status = 'waiting';

-- name: WebhookDelivery :one
SELECT sqlc.embed(d), COALESCE(e.at, 0) AS event_at, COALESCE(e.data, '') AS event_data
FROM webhook_deliveries d LEFT JOIN events e ON e.workspace_id = d.workspace_id AND e.seq = d.seq
WHERE d.workspace_id = sqlc.arg('workspace_id') AND d.endpoint_id = sqlc.arg('endpoint_id') AND d.id = sqlc.arg('id');

-- name: DropWebhookDeliveries :exec
-- Those whose events are gone.
DELETE FROM webhook_deliveries
WHERE webhook_deliveries.workspace_id = sqlc.arg('workspace_id') AND webhook_deliveries.endpoint_id = sqlc.arg('endpoint_id')
  AND status IN ('delivered', 'failed', 'canceled')
  AND seq <= (SELECT h.events_removed FROM audit_heads h WHERE h.workspace_id = sqlc.arg('workspace_id'));

-- name: OldWebhookEndpoints :many
-- Those that have something to remove: deliveries whose events are gone, or, of a deleted one, the endpoint itself.
SELECT e.workspace_id, e.id FROM webhook_endpoints e LEFT JOIN audit_heads h ON h.workspace_id = e.workspace_id
WHERE EXISTS (
    SELECT 1 FROM webhook_deliveries d
    WHERE d.workspace_id = e.workspace_id AND d.endpoint_id = e.id AND d.seq <= h.events_removed
      AND d.status IN ('delivered', 'failed', 'canceled'))
  OR e.status = 'deleted' AND NOT EXISTS (
    SELECT 1 FROM webhook_deliveries d WHERE d.workspace_id = e.workspace_id AND d.endpoint_id = e.id)
LIMIT sqlc.arg('most');

-- name: DropWebhookEndpoint :exec
DELETE FROM webhook_endpoints
WHERE webhook_endpoints.workspace_id = sqlc.arg('workspace_id') AND webhook_endpoints.id = sqlc.arg('id') AND status = 'deleted'
  AND NOT EXISTS (
    SELECT 1 FROM webhook_deliveries d WHERE d.workspace_id = sqlc.arg('workspace_id') AND d.endpoint_id = sqlc.arg('id'));

-- name: InsertWebhookNotice :exec
INSERT INTO webhook_notices (workspace_id, id, endpoint_id, change, url, actor_kind, actor_id, remote_ip, mail_id, created_at,
    mailed, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, $10);

-- name: RecentWebhookNotice :many
-- One that waits for its mail, or is younger than an instant.
SELECT id FROM webhook_notices
WHERE workspace_id = sqlc.arg('workspace_id') AND (mailed = 0 OR mailed = 1 AND created_at > sqlc.arg('since')) LIMIT 1;

-- name: WebhookNotice :one
-- With how many others its mail tells of.
SELECT sqlc.embed(n), (
    SELECT COUNT(*) FROM webhook_notices o
    WHERE o.workspace_id = n.workspace_id AND o.mailed = 0 AND o.mail_id = n.id AND o.id <> n.id) AS more
FROM webhook_notices n WHERE n.workspace_id = $1 AND n.id = $2;

-- name: WaitingWebhookNotices :many
SELECT * FROM webhook_notices
WHERE mailed = 0 AND updated_at < sqlc.arg('before') AND (mail_id = '' OR mail_id = id)
ORDER BY updated_at, id LIMIT sqlc.arg('most');

-- name: GatherWebhookNotices :execrows
-- Puts a notice that is in no mail, and all others that are in none, into its mail. Of a mail that is made already it
-- takes the same notices again, so that it is the same at each try.
UPDATE webhook_notices SET mail_id = sqlc.arg('id'), updated_at = sqlc.arg('now')
WHERE webhook_notices.workspace_id = sqlc.arg('workspace_id') AND mailed = 0 AND mail_id = (
    SELECT n.mail_id FROM webhook_notices n
    WHERE n.workspace_id = sqlc.arg('workspace_id') AND n.id = sqlc.arg('id') AND (n.mail_id = '' OR n.mail_id = n.id));

-- name: WebhookNoticesMailed :exec
UPDATE webhook_notices SET mailed = 1, updated_at = sqlc.arg('now')
WHERE workspace_id = sqlc.arg('workspace_id') AND mail_id = sqlc.arg('mail_id') AND mailed = 0;

-- name: DropWebhookNotices :exec
DELETE FROM webhook_notices WHERE mailed = 1 AND updated_at < sqlc.arg('before');

-- The lists below are the beginnings of queries: conditions, order and page are added.

-- name: ListWebhookDeliveries :many
SELECT * FROM webhook_deliveries WHERE workspace_id = $1 AND endpoint_id = $2;

-- name: CountWebhookDeliveries :one
SELECT COUNT(*) FROM webhook_deliveries WHERE workspace_id = $1 AND endpoint_id = $2;
