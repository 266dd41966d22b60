-- name: InsertEvents :exec
INSERT INTO events (workspace_id, seq, id, at, type, object_id, agent_id, data) VALUES ($1, $2, $3, $4, $5, $6, $7, $8);

-- name: EventEnds :one
SELECT events, events_removed FROM audit_heads WHERE workspace_id = $1;

-- name: ListEvents :many
SELECT * FROM events WHERE workspace_id = sqlc.arg('workspace_id') AND seq > sqlc.arg('after');

-- name: LastEvents :many
SELECT workspace_id, events FROM audit_heads WHERE events > 0;

-- name: EventHeads :many
SELECT workspace_id, events, events_removed FROM audit_heads WHERE events > events_removed;

-- name: LastEventBefore :one
-- The last of the events up to a number that is older than an instant.
SELECT CAST(COALESCE(MAX(seq), 0) AS BIGINT) AS seq FROM events
WHERE workspace_id = sqlc.arg('workspace_id') AND seq <= sqlc.arg('up_to') AND at < sqlc.arg('before');

-- name: RemoveEvents :exec
DELETE FROM events WHERE workspace_id = sqlc.arg('workspace_id') AND seq <= sqlc.arg('up_to');

-- name: NoteRemovedEvents :exec
UPDATE audit_heads SET events_removed = sqlc.arg('up_to')
WHERE workspace_id = sqlc.arg('workspace_id') AND events_removed < sqlc.arg('up_to');
