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

-- The passkeys by which members log in. They are the server's: the signer knows
-- none of them and takes no stamp from them.
CREATE TABLE login_passkeys (
    workspace_id TEXT   NOT NULL,
    id           TEXT   NOT NULL,
    member_id    TEXT   NOT NULL,
    credential   TEXT   NOT NULL, -- JSON: id, public key, counter, flags
    label        TEXT   NOT NULL,
    created_at   BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, member_id) REFERENCES members (workspace_id, id)
);
CREATE INDEX login_passkeys_of_member ON login_passkeys (workspace_id, member_id, created_at, id);

CREATE TABLE login_passkey_directory (
    credential_id TEXT NOT NULL PRIMARY KEY, -- base64url
    workspace_id  TEXT NOT NULL,
    passkey_id    TEXT NOT NULL
);

-- What a passkey is asked to sign, once. A row goes when it is used.
CREATE TABLE login_challenges (
    hash       TEXT   NOT NULL PRIMARY KEY,
    purpose    TEXT   NOT NULL, -- what it was made for, and for whom
    expires_at BIGINT NOT NULL
);
CREATE INDEX login_challenges_expires ON login_challenges (expires_at);

CREATE TABLE sessions (
    workspace_id TEXT   NOT NULL,
    id           TEXT   NOT NULL,
    member_id    TEXT   NOT NULL,
    token_hash   TEXT   NOT NULL, -- of the refresh token that is good now
    before_hash  TEXT   NOT NULL, -- of the one before it
    salt         TEXT   NOT NULL, -- makes the one that is good now of the one before it
    created_at   BIGINT NOT NULL,
    rotated_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    revoked_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, member_id) REFERENCES members (workspace_id, id)
);
CREATE INDEX sessions_of_member ON sessions (workspace_id, member_id, created_at, id);
CREATE INDEX sessions_expires ON sessions (expires_at);

-- Every refresh token that a session ever had, by its hash.
CREATE TABLE refresh_directory (
    token_hash   TEXT   NOT NULL PRIMARY KEY,
    workspace_id TEXT   NOT NULL,
    session_id   TEXT   NOT NULL,
    expires_at   BIGINT NOT NULL
);
CREATE INDEX refresh_directory_of_session ON refresh_directory (workspace_id, session_id);
CREATE INDEX refresh_directory_expires ON refresh_directory (expires_at);
