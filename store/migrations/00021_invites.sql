-- +goose Up

-- The link by which a recipient enters its bank account: the newest one only.
CREATE TABLE recipient_invites (
    workspace_id TEXT   NOT NULL,
    recipient_id TEXT   NOT NULL,
    token_hash   TEXT   NOT NULL,
    sealed       TEXT   NOT NULL, -- the token, for the vault; '' once the link is over
    account_id   TEXT   NOT NULL, -- that was entered with it, '' before
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    ended_at     BIGINT NOT NULL, -- with its recipient's archiving, 0 before
    PRIMARY KEY (workspace_id, recipient_id)
);

-- Whose a token is, also one that was replaced: who opens it has nothing else.
CREATE TABLE recipient_invite_directory (
    token_hash   TEXT   NOT NULL PRIMARY KEY,
    workspace_id TEXT   NOT NULL,
    recipient_id TEXT   NOT NULL,
    expires_at   BIGINT NOT NULL
);
