-- name: KYBDraft :one
SELECT * FROM kyb_drafts WHERE workspace_id = $1;

-- name: PutKYBDraft :execrows
INSERT INTO kyb_drafts (workspace_id, version, sections, sealed, updated_at)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (workspace_id) DO UPDATE
SET version = excluded.version, sections = excluded.sections, sealed = excluded.sealed, updated_at = excluded.updated_at
WHERE kyb_drafts.version = excluded.version - 1;

-- name: KYBSubmission :one
SELECT * FROM kyb_submissions WHERE workspace_id = $1 AND id = $2;

-- name: LastKYBSubmission :one
SELECT * FROM kyb_submissions WHERE workspace_id = $1 ORDER BY number DESC LIMIT 1;

-- name: InsertKYBSubmission :exec
INSERT INTO kyb_submissions (workspace_id, id, number, version, state, reason, sealed, check_at, created_at, decided_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- name: MoveKYBSubmission :execrows
UPDATE kyb_submissions
SET state = sqlc.arg('state'), reason = sqlc.arg('reason'), check_at = sqlc.arg('check_at'), decided_at = sqlc.arg('decided_at')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND state = sqlc.arg('was');

-- name: UncheckedKYBSubmissions :many
SELECT * FROM kyb_submissions WHERE check_at > 0 AND check_at < $1 ORDER BY check_at, id LIMIT $2;

-- name: ListKYBCases :many
SELECT * FROM kyb_cases WHERE environment = $1;

-- name: CountKYBCases :one
SELECT COUNT(*) FROM kyb_cases WHERE environment = $1;

-- name: KYBDocuments :many
SELECT id, kind, media_type, size, sealed, created_at FROM kyb_documents WHERE workspace_id = $1 ORDER BY created_at, id;

-- name: KYBDocument :one
SELECT * FROM kyb_documents WHERE workspace_id = $1 AND id = $2;

-- name: InsertKYBDocument :exec
INSERT INTO kyb_documents (workspace_id, id, kind, media_type, size, sealed, content, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8);

-- name: DeleteKYBDocument :exec
DELETE FROM kyb_documents WHERE workspace_id = $1 AND id = $2;

-- name: InsertKYBMails :exec
INSERT INTO kyb_mails (workspace_id, decision_id, member_id, state, reason, status, created_at)
SELECT m.workspace_id, CAST(sqlc.arg('decision_id') AS TEXT), m.id, CAST(sqlc.arg('state') AS TEXT),
    CAST(sqlc.arg('reason') AS TEXT), 'queued', CAST(sqlc.arg('now') AS BIGINT)
FROM members m WHERE m.workspace_id = sqlc.arg('workspace_id') AND m.role = 'admin';

-- name: KYBMails :many
SELECT k.workspace_id, k.decision_id, k.member_id, k.state, k.reason, m.email, w.name AS workspace_name
FROM kyb_mails k
JOIN members m ON m.workspace_id = k.workspace_id AND m.id = k.member_id
JOIN workspaces w ON w.id = k.workspace_id
WHERE k.workspace_id = $1 AND k.decision_id = $2 AND k.status = 'queued'
ORDER BY k.member_id;

-- name: KYBMailed :exec
UPDATE kyb_mails SET status = sqlc.arg('status')
WHERE workspace_id = sqlc.arg('workspace_id') AND decision_id = sqlc.arg('decision_id') AND member_id = sqlc.arg('member_id')
  AND status = 'queued';

-- name: UnmailedKYBDecisions :many
SELECT DISTINCT k.workspace_id, k.decision_id FROM kyb_mails k
JOIN members m ON m.workspace_id = k.workspace_id AND m.id = k.member_id
WHERE k.status = 'queued' AND k.created_at > sqlc.arg('since') AND k.created_at < sqlc.arg('before')
ORDER BY k.decision_id LIMIT sqlc.arg('most');
