-- +goose Up

-- A directory of the links of the passkey page: found by the token's hash,
-- without a workspace. Who reads it learns no token.
CREATE TABLE ceremonies (
    token_hash   TEXT   NOT NULL PRIMARY KEY,
    workspace_id TEXT   NOT NULL,
    kind         TEXT   NOT NULL,
    subject      TEXT   NOT NULL, -- id of the activity or transaction; of a registration its challenge
    email        TEXT   NOT NULL, -- of a registration
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    finished_at  BIGINT NOT NULL,
    given        TEXT   NOT NULL  -- digest of what was handed in last, or finished it
);

CREATE INDEX ceremonies_expires ON ceremonies (expires_at);
