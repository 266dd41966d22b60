-- name: TakeFromBudget :execrows
-- Holds an amount that fits into the limit by itself; no row where it does not fit beside what is spent and held.
INSERT INTO agent_spending (workspace_id, agent_id, month, layer, spent, held)
VALUES (sqlc.arg('workspace_id'), sqlc.arg('agent_id'), sqlc.arg('month'), sqlc.arg('layer'), 0, sqlc.arg('amount'))
ON CONFLICT (workspace_id, agent_id, month, layer) DO UPDATE SET held = agent_spending.held + excluded.held
WHERE agent_spending.spent + agent_spending.held + excluded.held <= CAST(sqlc.arg('most') AS BIGINT);

-- name: EndHeld :exec
UPDATE agent_spending
SET held = held - CAST(sqlc.arg('held') AS BIGINT), spent = spent + CAST(sqlc.arg('spent') AS BIGINT)
WHERE workspace_id = sqlc.arg('workspace_id') AND agent_id = sqlc.arg('agent_id') AND month = sqlc.arg('month')
  AND layer = sqlc.arg('layer');

-- name: AddSpent :exec
-- Counts beyond every limit, up to the highest sum that is counted at all.
INSERT INTO agent_spending (workspace_id, agent_id, month, layer, spent, held)
VALUES (sqlc.arg('workspace_id'), sqlc.arg('agent_id'), sqlc.arg('month'), sqlc.arg('layer'), sqlc.arg('amount'), 0)
ON CONFLICT (workspace_id, agent_id, month, layer) DO UPDATE SET spent = CASE
    WHEN agent_spending.spent + excluded.spent > CAST(sqlc.arg('most') AS BIGINT) THEN CAST(sqlc.arg('most') AS BIGINT)
    ELSE agent_spending.spent + excluded.spent END;

-- name: Spending :many
SELECT * FROM agent_spending WHERE workspace_id = $1 AND agent_id = $2 AND month = $3;

-- name: InsertHold :execrows
INSERT INTO agent_holds (workspace_id, id, agent_id, month, infra, tokens, fingerprint, state, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (workspace_id, id) DO NOTHING;

-- name: Hold :one
SELECT * FROM agent_holds WHERE workspace_id = $1 AND id = $2;

-- name: RenewHold :execrows
UPDATE agent_holds SET fingerprint = $3 WHERE workspace_id = $1 AND id = $2 AND state = 'held';

-- name: RepeatHold :execrows
UPDATE agent_holds
SET state = 'held', month = sqlc.arg('month'), infra = sqlc.arg('infra'), tokens = sqlc.arg('tokens'),
    fingerprint = sqlc.arg('fingerprint'), created_at = sqlc.arg('created_at')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND state = 'void';

-- name: EndHold :one
UPDATE agent_holds SET state = $3 WHERE workspace_id = $1 AND id = $2 AND state = 'held' RETURNING *;

-- name: HoldsWaiting :many
SELECT * FROM agent_holds
WHERE state = 'held' AND created_at < sqlc.arg('before')
  AND (created_at > sqlc.arg('after') OR (created_at = sqlc.arg('after') AND id > sqlc.arg('after_id')))
ORDER BY created_at, id LIMIT sqlc.arg('most');

-- name: CountRefusal :exec
INSERT INTO agent_refusals (workspace_id, agent_id, day, refused) VALUES ($1, $2, $3, 1)
ON CONFLICT (workspace_id, agent_id, day) DO UPDATE SET refused = agent_refusals.refused + 1;

-- name: InsertAgentEvent :execrows
INSERT INTO agent_events (workspace_id, agent_id, id, type, layer, amount, recipient, metadata, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (workspace_id, agent_id, id) DO NOTHING;

-- name: CallsByDay :many
SELECT CAST(created_at / 86400000000 AS BIGINT) AS day, state, CAST(COUNT(*) AS BIGINT) AS calls,
    CAST(COALESCE(SUM(infra), 0) AS BIGINT) AS infra
FROM agent_holds
WHERE workspace_id = sqlc.arg('workspace_id') AND agent_id = sqlc.arg('agent_id')
  AND created_at >= sqlc.arg('since') AND created_at < sqlc.arg('until')
GROUP BY created_at / 86400000000, state;

-- name: EventsByDay :many
SELECT CAST(created_at / 86400000000 AS BIGINT) AS day, layer, CAST(COUNT(*) AS BIGINT) AS events,
    CAST(COALESCE(SUM(amount), 0) AS BIGINT) AS amount
FROM agent_events
WHERE workspace_id = sqlc.arg('workspace_id') AND agent_id = sqlc.arg('agent_id')
  AND created_at >= sqlc.arg('since') AND created_at < sqlc.arg('until')
GROUP BY created_at / 86400000000, layer;

-- name: RefusalsByDay :many
SELECT day, refused FROM agent_refusals
WHERE workspace_id = sqlc.arg('workspace_id') AND agent_id = sqlc.arg('agent_id')
  AND day >= sqlc.arg('since') AND day < sqlc.arg('until');

-- name: AgentPaymentsByDay :many
-- Amounts are decimal text, which only the caller can add: it gets how often each occurs.
SELECT CAST(t.created_at / 86400000000 AS BIGINT) AS day, t.amount, CAST(COUNT(*) AS BIGINT) AS payments
FROM wallets w JOIN transactions t ON t.workspace_id = w.workspace_id AND t.wallet_id = w.id
WHERE w.workspace_id = sqlc.arg('workspace_id') AND w.enclave_id = sqlc.arg('wallet')
  AND t.created_at >= sqlc.arg('since') AND t.created_at < sqlc.arg('until') AND t.type = 'agent_payment'
  AND t.signed_transaction <> ''
GROUP BY t.created_at / 86400000000, t.amount;

-- name: SetOperatorSwitch :execrows
INSERT INTO platform_switches (name, is_on, changed_at)
VALUES (sqlc.arg('name'), CAST(sqlc.arg('is_on') AS BIGINT), sqlc.arg('changed_at'))
ON CONFLICT (name) DO UPDATE SET is_on = excluded.is_on, changed_at = excluded.changed_at
WHERE platform_switches.is_on <> excluded.is_on;

-- name: OperatorSwitch :one
SELECT * FROM platform_switches WHERE name = $1;
