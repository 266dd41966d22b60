-- name: TakeAuditHead :one
-- Takes the next place in the workspace's chain, and its row until the end of
-- the transaction, and the next numbers of its events. The hash is still that of
-- the place before.
INSERT INTO audit_heads (workspace_id, seq, hash, events) VALUES (sqlc.arg('workspace_id'), 1, '', sqlc.arg('n'))
ON CONFLICT (workspace_id) DO UPDATE SET seq = audit_heads.seq + 1, events = audit_heads.events + excluded.events
RETURNING seq, hash, events;

-- name: InsertAudit :exec
INSERT INTO audit (workspace_id, id, at, actor, actor_id, operation, action, resource, request_id, remote_ip, detail,
    before, after, seq, previous_hash, hash)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16);

-- name: MoveAuditHead :exec
UPDATE audit_heads SET hash = $2 WHERE workspace_id = $1;

-- name: AuditHead :one
SELECT workspace_id, seq, hash FROM audit_heads WHERE workspace_id = $1;

-- name: AuditWorkspaces :many
SELECT workspace_id FROM audit_heads WHERE seq > 0 UNION SELECT workspace_id FROM audit ORDER BY workspace_id;

-- name: AuditAfter :many
SELECT * FROM audit
WHERE workspace_id = sqlc.arg('workspace_id') AND (seq, id) > (sqlc.arg('seq'), CAST(sqlc.arg('id') AS TEXT))
ORDER BY seq, id LIMIT sqlc.arg('most');

-- name: ListAudit :many
SELECT * FROM audit WHERE workspace_id = $1;

-- name: CountAudit :one
SELECT COUNT(*) FROM audit WHERE workspace_id = $1;
