-- name: InsertNotice :execrows
INSERT INTO partner_notices (id, partner, event_id, category, object_id, customer_id, address_id, state, seen, body, created_at, handled_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0)
ON CONFLICT (partner, event_id, object_id) DO NOTHING;

-- name: CountNotice :exec
UPDATE partner_notices SET seen = seen + 1
WHERE partner = sqlc.arg('partner') AND event_id = sqlc.arg('event_id') AND object_id = sqlc.arg('object_id');

-- name: MoveNotice :execrows
UPDATE partner_notices SET state = sqlc.arg('to_state'), handled_at = sqlc.arg('now')
WHERE id = sqlc.arg('id') AND state = sqlc.arg('from_state');

-- name: Notice :one
SELECT * FROM partner_notices WHERE id = $1;

-- name: ListNotices :many
SELECT * FROM partner_notices WHERE state = $1;

-- name: CountNotices :one
SELECT COUNT(*) FROM partner_notices WHERE state = $1;

-- name: WaitingNotices :many
SELECT * FROM partner_notices
WHERE state = sqlc.arg('state') AND created_at < sqlc.arg('before')
ORDER BY created_at, id LIMIT sqlc.arg('most');

-- name: DropNotices :exec
DELETE FROM partner_notices WHERE state IN ('done', 'unmatched', 'ignored') AND created_at < sqlc.arg('before');
