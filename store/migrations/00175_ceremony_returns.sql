-- +goose Up
-- Where the passkey page leads back to once a link has ended, as the request that made the link wanted it.
ALTER TABLE ceremonies ADD COLUMN return_url TEXT NOT NULL DEFAULT '';
ALTER TABLE ceremonies ADD COLUMN return_state TEXT NOT NULL DEFAULT '';
-- 1: whoever had the link declined, which finished it.
ALTER TABLE ceremonies ADD COLUMN declined BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE ceremonies DROP COLUMN declined;
ALTER TABLE ceremonies DROP COLUMN return_state;
ALTER TABLE ceremonies DROP COLUMN return_url;
