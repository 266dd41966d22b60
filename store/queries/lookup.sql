-- What an operator looks up by an id alone. Each query goes by way of the workspaces, so that it finds the row by its
-- key in each of them: no table is read whole. SQLite keeps to the order of a CROSS JOIN.

-- name: FindWorkspace :many
SELECT * FROM workspaces WHERE id = $1;

-- name: FindOrders :many
SELECT o.workspace_id, o.id, o.reference, o.type, o.status, o.recipient_id, o.bank_account_id, o.withdraw_address_id,
    o.quote_id, o.created_at, o.updated_at
FROM workspaces w CROSS JOIN orders o WHERE o.workspace_id = w.id AND o.id = $1;

-- name: FindOrdersOfReference :many
-- By any name that an order is found by: our reference, the partner's transfers, transactions on chain.
SELECT o.workspace_id, o.id, o.reference, o.type, o.status, o.recipient_id, o.bank_account_id, o.withdraw_address_id,
    o.quote_id, o.created_at, o.updated_at
FROM workspaces w CROSS JOIN order_references r CROSS JOIN orders o
WHERE r.workspace_id = w.id AND r.reference = $1 AND o.workspace_id = r.workspace_id AND o.id = r.order_id
ORDER BY o.created_at DESC, o.id LIMIT 20;

-- name: FindTransactions :many
SELECT t.* FROM workspaces w CROSS JOIN transactions t WHERE t.workspace_id = w.id AND t.id = $1;

-- name: FindTransactionsOfHash :many
-- There is no index of hashes: this one reads the table.
SELECT * FROM transactions WHERE tx_hash = $1 ORDER BY created_at LIMIT 20;

-- name: FindTransfersOfHash :many
-- Nor is there one here.
SELECT * FROM transfers WHERE tx_hash = $1 ORDER BY created_at, id LIMIT 20;

-- name: FindApprovals :many
SELECT a.* FROM workspaces w CROSS JOIN approvals a WHERE a.workspace_id = w.id AND a.id = $1;

-- name: FindApprovalsOfSubject :many
SELECT * FROM approvals WHERE workspace_id = $1 AND subject = $2 ORDER BY created_at DESC LIMIT 20;

-- name: FindActivities :many
SELECT a.* FROM workspaces w CROSS JOIN activities a WHERE a.workspace_id = w.id AND a.id = $1;

-- name: FindAgents :many
SELECT a.* FROM workspaces w CROSS JOIN agents a WHERE a.workspace_id = w.id AND a.id = $1;

-- name: FindAgentOfSubject :many
SELECT agent_id FROM agent_subjects WHERE workspace_id = $1 AND subject = $2;

-- name: FindPayments :many
SELECT p.* FROM workspaces w CROSS JOIN x402_payments p WHERE p.workspace_id = w.id AND p.id = $1;

-- name: FindMembers :many
SELECT m.* FROM workspaces w CROSS JOIN members m WHERE m.workspace_id = w.id AND m.id = $1;

-- name: FindWallets :many
SELECT a.* FROM workspaces w CROSS JOIN wallets a WHERE a.workspace_id = w.id AND a.id = $1
UNION
SELECT a.* FROM workspaces w CROSS JOIN wallets a WHERE a.workspace_id = w.id AND a.enclave_id = $1;

-- name: FindSubOrganizations :many
SELECT s.* FROM workspaces w CROSS JOIN sub_organizations s WHERE s.workspace_id = w.id AND s.id = $1;

-- name: FindRecipients :many
SELECT r.* FROM workspaces w CROSS JOIN recipients r WHERE r.workspace_id = w.id AND r.id = $1;

-- name: FindBankAccounts :many
SELECT b.workspace_id, b.id, b.recipient_id, b.currency, b.rail, b.registration, b.reason, b.is_active, b.frozen_at,
    b.created_at, b.updated_at
FROM workspaces w CROSS JOIN bank_accounts b WHERE b.workspace_id = w.id AND b.id = $1;

-- name: FindEvents :many
-- Reads the events of 30 days, where nothing else has the id.
SELECT * FROM events WHERE id = $1 LIMIT 20;

-- name: FindRequest :many
-- What a request changed. Reads the record, where nothing else has the id.
SELECT workspace_id, request_id, at, action, resource FROM audit WHERE request_id = $1 ORDER BY workspace_id, seq, id LIMIT 50;
