-- name: TakeAuditHeads :many
-- Takes the next places in a workspace's chain and the next numbers of its
-- events, and its row until the end of the transaction. The hash is still that
-- of the place before. More workspaces can be taken at once, see sqldb.Repeat.
INSERT INTO audit_heads (workspace_id, seq, hash, events)
VALUES (sqlc.arg('workspace_id'), sqlc.arg('entries'), '', sqlc.arg('events'))
ON CONFLICT (workspace_id) DO UPDATE
SET seq = audit_heads.seq + excluded.seq, events = audit_heads.events + excluded.events
RETURNING workspace_id, seq, hash, events;

-- name: InsertAudit :exec
INSERT INTO audit (workspace_id, id, at, actor, actor_id, operation, action, resource, request_id, remote_ip, detail,
    before, after, seq, previous_hash, hash)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16);

-- name: MoveAuditHeads :exec
-- Moves heads that the transaction has taken: each is there, and only its hash changes.
INSERT INTO audit_heads (workspace_id, seq, hash, events) VALUES (sqlc.arg('workspace_id'), 0, sqlc.arg('hash'), 0)
ON CONFLICT (workspace_id) DO UPDATE SET hash = excluded.hash;

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
