-- name: TokenIssuer :one
SELECT * FROM token_issuers WHERE chain = $1 AND token = $2;

-- name: TokenIssuers :many
SELECT * FROM token_issuers WHERE chain <> '' ORDER BY chain, symbol, token;

-- name: KeepTokenIssuer :execrows
INSERT INTO token_issuers (chain, token, symbol, kept, kept_at, seen, seen_at)
VALUES (sqlc.arg('chain'), sqlc.arg('token'), sqlc.arg('symbol'), sqlc.arg('facts'), sqlc.arg('now'),
    sqlc.arg('facts'), sqlc.arg('now'))
ON CONFLICT (chain, token) DO NOTHING;

-- name: SeeTokenIssuer :execrows
UPDATE token_issuers SET seen = sqlc.arg('seen'), seen_at = sqlc.arg('now')
WHERE chain = sqlc.arg('chain') AND token = sqlc.arg('token') AND seen = sqlc.arg('was_seen')
  AND kept = sqlc.arg('was_kept');

-- name: AcceptTokenIssuer :execrows
UPDATE token_issuers SET kept = seen, kept_at = sqlc.arg('now')
WHERE chain = sqlc.arg('chain') AND token = sqlc.arg('token') AND seen = sqlc.arg('was_seen')
  AND kept = sqlc.arg('was_kept');
