-- name: ClaimSkillPurchase :execrows
INSERT INTO skill_purchases (payment, workspace_id, caller, skill_id, input, claim, state, asked, answer, receipt, busy_until,
    ends_at, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
ON CONFLICT (payment) DO NOTHING;

-- name: SkillPurchase :one
SELECT * FROM skill_purchases WHERE payment = $1;

-- name: TakeSkillPurchase :execrows
UPDATE skill_purchases
SET claim = sqlc.arg('claim'), asked = sqlc.arg('asked'), busy_until = sqlc.arg('busy_until'), updated_at = sqlc.arg('updated_at')
WHERE payment = sqlc.arg('payment') AND claim = sqlc.arg('was') AND state = sqlc.arg('state');

-- name: MoveSkillPurchase :execrows
UPDATE skill_purchases
SET state = sqlc.arg('state'), answer = sqlc.arg('answer'), receipt = sqlc.arg('receipt'), busy_until = sqlc.arg('busy_until'),
    updated_at = sqlc.arg('updated_at')
WHERE payment = sqlc.arg('payment') AND claim = sqlc.arg('claim') AND state = sqlc.arg('was');

-- name: DropSkillPurchase :execrows
DELETE FROM skill_purchases WHERE payment = $1 AND claim = $2 AND state = 'claimed';

-- name: ForgetSkillAnswers :exec
UPDATE skill_purchases SET answer = '' WHERE answer <> '' AND created_at < sqlc.arg('before');

-- name: DropSkillPurchases :exec
DELETE FROM skill_purchases WHERE ends_at < sqlc.arg('now') OR (state = 'claimed' AND busy_until < sqlc.arg('abandoned'));
