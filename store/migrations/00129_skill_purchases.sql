-- +goose Up
-- Calls of skills that payments by x402 pay for, by what each payment moves: one payment buys one call. An answer is
-- forgotten after a day; the row stays until nobody can use the payment any more.
CREATE TABLE skill_purchases (
    payment      TEXT   NOT NULL PRIMARY KEY, -- network, way, payer and nonce
    workspace_id TEXT   NOT NULL, -- the caller's
    caller       TEXT   NOT NULL, -- an agent, '': an API key of the workspace
    skill_id     TEXT   NOT NULL,
    input        TEXT   NOT NULL, -- hash
    claim        TEXT   NOT NULL, -- the request that is at work with it
    state        TEXT   NOT NULL, -- claimed, called, settled
    asked        TEXT   NOT NULL, -- JSON: what the facilitator is asked
    answer       TEXT   NOT NULL, -- the skill's, sealed by the vault; '': none yet, or forgotten
    receipt      TEXT   NOT NULL, -- JSON, of a settled one
    busy_until   BIGINT NOT NULL, -- then the claim is taken over
    ends_at      BIGINT NOT NULL, -- then nobody can use the payment any more
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL
);
CREATE INDEX skill_purchases_ends ON skill_purchases (ends_at);
CREATE INDEX skill_purchases_claimed ON skill_purchases (busy_until) WHERE state = 'claimed';
CREATE INDEX skill_purchases_answers ON skill_purchases (created_at) WHERE answer <> '';

-- +goose Down
DROP TABLE skill_purchases;
