-- +goose Up
-- Where a workspace has its events sent.
CREATE TABLE webhook_endpoints (
    workspace_id   TEXT   NOT NULL,
    id             TEXT   NOT NULL,
    url            TEXT   NOT NULL,
    description    TEXT   NOT NULL,
    types          TEXT   NOT NULL, -- as they were asked for, a list; none: all
    status         TEXT   NOT NULL, -- disabled | active | deleted
    reason         TEXT   NOT NULL, -- why it is disabled
    secret_version BIGINT NOT NULL,
    sealed         TEXT   NOT NULL, -- the secret that signs
    old_sealed     TEXT   NOT NULL, -- the one before, which signs too
    old_until      BIGINT NOT NULL, -- until then; 0: there is none
    created_at     BIGINT NOT NULL,
    updated_at     BIGINT NOT NULL,

    -- What follows is written by the server that holds the lease.
    lease          TEXT   NOT NULL,
    leased_until   BIGINT NOT NULL, -- since when nobody holds it, where that is over
    event_cursor   BIGINT NOT NULL, -- number of the last event that has a delivery or needs none; -1: never active
    replay_after   BIGINT NOT NULL, -- the same of a range that is sent again
    replay_to      BIGINT NOT NULL, -- the last number of that range
    replay_all     BIGINT NOT NULL, -- 1: also what was delivered
    next_at        BIGINT NOT NULL, -- when the first delivery is due; 0: none waits
    paused_until   BIGINT NOT NULL, -- after failures
    failures       BIGINT NOT NULL, -- rounds without a good answer, one after the other
    failing_since  BIGINT NOT NULL, -- 0: the last answer was good
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX webhook_endpoints_working ON webhook_endpoints (status, leased_until);

-- An event on its way to an endpoint, or what came of it. What is sent is made of the event's own row.
CREATE TABLE webhook_deliveries (
    workspace_id TEXT   NOT NULL,
    endpoint_id  TEXT   NOT NULL,
    seq          BIGINT NOT NULL, -- of the event
    id           TEXT   NOT NULL, -- of the event
    type         TEXT   NOT NULL,
    object_id    TEXT   NOT NULL,
    status       TEXT   NOT NULL, -- waiting (for an earlier one about the object) | pending | delivered | failed | canceled
    reason       TEXT   NOT NULL, -- of failed and canceled
    tries        BIGINT NOT NULL, -- since it was last begun
    attempts     TEXT   NOT NULL, -- the last ones, a list
    since        BIGINT NOT NULL, -- when it began to be waiting or pending
    due_at       BIGINT NOT NULL, -- of a pending one: when it is tried next
    created_at   BIGINT NOT NULL,
    ended_at     BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, endpoint_id, seq)
);
CREATE INDEX webhook_deliveries_log ON webhook_deliveries (workspace_id, endpoint_id, created_at, id);
CREATE INDEX webhook_deliveries_event ON webhook_deliveries (workspace_id, endpoint_id, id);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (workspace_id, endpoint_id, due_at) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (workspace_id, endpoint_id, object_id) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (workspace_id, endpoint_id, object_id, seq)
    WHERE status = 'waiting';

-- Changes of endpoints that the admins of a workspace are mailed of. Of those that come soon after another, one mail tells.
CREATE TABLE webhook_notices (
    workspace_id TEXT   NOT NULL,
    id           TEXT   NOT NULL,
    endpoint_id  TEXT   NOT NULL,
    change       TEXT   NOT NULL, -- created | moved | secret_rotated | gone
    url          TEXT   NOT NULL,
    actor_kind   TEXT   NOT NULL,
    actor_id     TEXT   NOT NULL,
    remote_ip    TEXT   NOT NULL,
    mail_id      TEXT   NOT NULL, -- the notice whose mail tells of this one; '': none yet
    created_at   BIGINT NOT NULL,
    mailed       BIGINT NOT NULL, -- 1: each admin was mailed
    updated_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX webhook_notices_waiting ON webhook_notices (mailed, updated_at);
CREATE INDEX webhook_notices_recent ON webhook_notices (workspace_id, mailed, created_at);

-- +goose Down
DROP TABLE webhook_notices;
DROP TABLE webhook_deliveries;
DROP TABLE webhook_endpoints;
