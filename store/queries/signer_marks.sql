-- name: SignerMark :one
SELECT * FROM signer_marks WHERE name = $1;

-- name: RaiseSignerMark :exec
INSERT INTO signer_marks (name, generation, seq, head, seen_at)
VALUES (sqlc.arg('name'), sqlc.arg('generation'), sqlc.arg('seq'), sqlc.arg('head'), sqlc.arg('seen_at'))
ON CONFLICT (name) DO UPDATE SET seq = excluded.seq, head = excluded.head, seen_at = excluded.seen_at
WHERE signer_marks.generation = excluded.generation AND signer_marks.seq < excluded.seq;

-- name: ReplaceSignerMark :exec
INSERT INTO signer_marks (name, generation, seq, head, seen_at)
VALUES (sqlc.arg('name'), 1, sqlc.arg('seq'), sqlc.arg('head'), sqlc.arg('seen_at'))
ON CONFLICT (name) DO UPDATE
SET generation = signer_marks.generation + 1, seq = excluded.seq, head = excluded.head, seen_at = excluded.seen_at;

-- name: SignerRows :one
-- The highest entry of the signer's journal that rows of rules and payees rest on.
SELECT CAST(COALESCE(MAX(x.seq), 0) AS BIGINT) AS seq
FROM (SELECT seq FROM policies UNION ALL SELECT seq FROM approval_configs UNION ALL SELECT seq FROM payees) x;

-- name: EndAgent :exec
INSERT INTO ended_agents (workspace_id, agent_id, ended_at) VALUES ($1, $2, $3)
ON CONFLICT (workspace_id, agent_id) DO NOTHING;

-- name: AgentEnded :one
SELECT CAST(COUNT(*) AS BIGINT) FROM ended_agents WHERE workspace_id = $1 AND agent_id = $2;
