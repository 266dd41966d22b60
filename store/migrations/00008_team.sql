-- +goose Up

-- The people of a workspace. A member has the id of the invitation that made it.
CREATE TABLE members (
    workspace_id TEXT   NOT NULL REFERENCES workspaces (id),
    id           TEXT   NOT NULL,
    email        TEXT   NOT NULL, -- as given
    folded_email TEXT   NOT NULL, -- lower case: as which it is compared
    role         TEXT   NOT NULL,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);

CREATE UNIQUE INDEX members_email ON members (workspace_id, folded_email);
CREATE INDEX members_role ON members (workspace_id, role);

CREATE TABLE invitations (
    workspace_id TEXT   NOT NULL REFERENCES workspaces (id),
    id           TEXT   NOT NULL,
    email        TEXT   NOT NULL,
    folded_email TEXT   NOT NULL,
    role         TEXT   NOT NULL,
    state        TEXT   NOT NULL, -- pending, accepted, replaced or revoked
    mail_status  TEXT   NOT NULL, -- queued, sent or failed
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    ended_at     BIGINT NOT NULL, -- 0 while it is pending
    PRIMARY KEY (workspace_id, id)
);

CREATE UNIQUE INDEX invitations_pending ON invitations (workspace_id, folded_email) WHERE state = 'pending';
CREATE INDEX invitations_newest ON invitations (workspace_id, created_at, id);
CREATE INDEX invitations_unsent ON invitations (state, mail_status, expires_at);

-- Found by the token's hash, without a workspace. Who reads it learns no token.
CREATE TABLE invitation_directory (
    token_hash    TEXT NOT NULL PRIMARY KEY,
    workspace_id  TEXT NOT NULL,
    invitation_id TEXT NOT NULL
);
