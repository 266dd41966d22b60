-- name: InsertBankAccount :execrows
INSERT INTO bank_accounts (workspace_id, id, recipient_id, currency, rail, country, bank_name, street, city, state, postal_code,
    holder_country, shown, sealed, fingerprint, wanted, registration, reason, is_active, origin, partner_key, keyed_at, partner_id,
    tried_at, payable_at, confirmed_by, version, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26,
    $27, $28, $29)
ON CONFLICT DO NOTHING;

-- name: BankAccount :one
SELECT * FROM bank_accounts WHERE workspace_id = $1 AND id = $2;

-- name: Payable :many
-- A recipient with the accounts in use, as a list of accounts has them.
SELECT sqlc.embed(r), sqlc.embed(a)
FROM recipients r
JOIN bank_accounts a ON a.workspace_id = r.workspace_id AND a.recipient_id = r.id AND a.is_active = 1
WHERE r.workspace_id = sqlc.arg('workspace_id') AND r.id = sqlc.arg('id')
ORDER BY a.created_at DESC, a.id DESC LIMIT sqlc.arg('most');

-- name: PayableAt :many
-- The same with the withdrawal addresses, and how many accounts in use there are: one without an address is not among
-- them.
SELECT sqlc.embed(r), sqlc.embed(a), sqlc.embed(w),
    CAST((SELECT COUNT(*) FROM bank_accounts b WHERE b.workspace_id = r.workspace_id AND b.recipient_id = r.id AND b.is_active = 1)
        AS BIGINT) AS in_use
FROM recipients r
JOIN bank_accounts a ON a.workspace_id = r.workspace_id AND a.recipient_id = r.id AND a.is_active = 1
JOIN withdraw_addresses w ON w.workspace_id = a.workspace_id AND w.bank_account_id = a.id
WHERE r.workspace_id = sqlc.arg('workspace_id') AND r.id = sqlc.arg('id')
ORDER BY a.created_at DESC, a.id DESC, w.created_at, w.id;

-- name: HoldBankAccount :one
UPDATE bank_accounts SET version = version WHERE workspace_id = $1 AND id = $2 RETURNING *;

-- name: CoolBankAccounts :many
UPDATE bank_accounts
SET payable_at = CASE WHEN payable_at > sqlc.arg('until') THEN payable_at ELSE sqlc.arg('until') END, confirmed_by = '', version = version + 1, updated_at = sqlc.arg('now')
WHERE workspace_id = sqlc.arg('workspace_id') AND recipient_id = sqlc.arg('recipient_id') AND is_active = 1
  AND registration NOT IN ('rejected', 'closed')
RETURNING id;

-- name: BankAccountByFingerprint :one
SELECT * FROM bank_accounts WHERE workspace_id = $1 AND recipient_id = $2 AND fingerprint = $3 AND registration <> 'rejected';

-- name: BankAccountByPartner :one
SELECT a.* FROM bank_account_directory d
JOIN bank_accounts a ON a.workspace_id = d.workspace_id AND a.id = d.account_id
WHERE d.partner_id = $1;

-- name: ListPartnerAccount :exec
INSERT INTO bank_account_directory (partner_id, workspace_id, account_id) VALUES ($1, $2, $3)
ON CONFLICT (partner_id) DO NOTHING;

-- name: UpdateBankAccount :execrows
UPDATE bank_accounts
SET street = sqlc.arg('street'), city = sqlc.arg('city'), state = sqlc.arg('state'), postal_code = sqlc.arg('postal_code'),
    holder_country = sqlc.arg('holder_country'), shown = sqlc.arg('shown'), sealed = sqlc.arg('sealed'),
    fingerprint = sqlc.arg('fingerprint'), wanted = sqlc.arg('wanted'), registration = sqlc.arg('registration'),
    reason = sqlc.arg('reason'), is_active = sqlc.arg('is_active'), partner_key = sqlc.arg('partner_key'),
    keyed_at = sqlc.arg('keyed_at'), partner_id = sqlc.arg('partner_id'), tried_at = sqlc.arg('tried_at'),
    payable_at = sqlc.arg('payable_at'), confirmed_by = sqlc.arg('confirmed_by'), frozen_at = sqlc.arg('frozen_at'), version = version + 1,
    updated_at = sqlc.arg('updated_at')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND version = sqlc.arg('version');

-- name: DeleteBankAccount :execrows
DELETE FROM bank_accounts WHERE workspace_id = $1 AND id = $2 AND version = $3;

-- name: CountUsableBankAccounts :one
SELECT COUNT(*) FROM bank_accounts
WHERE workspace_id = $1 AND recipient_id = $2 AND is_active = 1 AND registration NOT IN ('rejected', 'closed');

-- name: WaitingBankAccounts :many
SELECT * FROM bank_accounts
WHERE (registration IN ('provisioning', 'pending') OR wanted <> '') AND tried_at < sqlc.arg('before')
ORDER BY tried_at LIMIT sqlc.arg('most');

-- The lists below are the beginnings of queries: lists.go adds order and page.

-- name: ListBankAccounts :many
SELECT * FROM bank_accounts WHERE workspace_id = $1;

-- name: CountBankAccounts :one
SELECT COUNT(*) FROM bank_accounts WHERE workspace_id = $1;

-- name: InsertPartnerCustomer :exec
INSERT INTO partner_customers (workspace_id, partner_key, customer_id, keyed_at, status, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT DO NOTHING;

-- name: PartnerCustomer :one
SELECT * FROM partner_customers WHERE workspace_id = $1;

-- name: PartnerCustomers :many
SELECT * FROM partner_customers WHERE customer_id <> '' ORDER BY workspace_id;

-- name: UpdatePartnerCustomer :execrows
UPDATE partner_customers
SET partner_key = sqlc.arg('partner_key'), keyed_at = sqlc.arg('keyed_at'), customer_id = sqlc.arg('customer_id'),
    status = sqlc.arg('status'), updated_at = sqlc.arg('updated_at')
WHERE workspace_id = sqlc.arg('workspace_id') AND customer_id IN ('', sqlc.arg('customer_id')) AND partner_key = sqlc.arg('was_key');
