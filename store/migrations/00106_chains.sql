-- +goose Up

-- How far each chain was read. A write that expects another version is late.
CREATE TABLE watch_cursors (
    chain   TEXT   NOT NULL PRIMARY KEY,
    number  BIGINT NOT NULL,
    hash    TEXT   NOT NULL,
    version BIGINT NOT NULL
);

-- The last blocks that were read, by which a reorg is seen.
CREATE TABLE watch_blocks (
    chain  TEXT   NOT NULL,
    number BIGINT NOT NULL,
    hash   TEXT   NOT NULL,
    PRIMARY KEY (chain, number)
);

-- New addresses that a chain's last blocks are still to be looked through for.
CREATE TABLE watch_rescans (
    id     TEXT NOT NULL PRIMARY KEY, -- chain and address
    chain  TEXT NOT NULL,
    lookup TEXT NOT NULL
);
CREATE INDEX watch_rescans_of_chain ON watch_rescans (chain, id);

-- What arrived at addresses that the platform knows, as the chains say it.
CREATE TABLE transfers (
    workspace_id TEXT   NOT NULL,
    id           TEXT   NOT NULL, -- UUIDv7
    owner_kind   TEXT   NOT NULL, -- wallet or withdraw
    owner_id     TEXT   NOT NULL, -- of the wallet, or of the withdrawal address
    chain        TEXT   NOT NULL,
    tx_hash      TEXT   NOT NULL,
    ordinal      BIGINT NOT NULL, -- among those of its transaction with the same token and receiver: no reorg changes it
    log_index    BIGINT NOT NULL, -- in its block: a reorg may change it
    token        TEXT   NOT NULL, -- contract address, lower case
    token_symbol TEXT   NOT NULL,
    decimals     BIGINT NOT NULL,
    from_address TEXT   NOT NULL,
    to_address   TEXT   NOT NULL,
    amount       TEXT   NOT NULL, -- smallest unit
    units        TEXT   NOT NULL, -- the same in whole units, to be sorted with transactions
    state        TEXT   NOT NULL, -- seen, final or dropped
    block_number BIGINT NOT NULL,
    block_hash   TEXT   NOT NULL,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL,
    final_at     BIGINT NOT NULL, -- first time; a reorg does not clear it
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX transfers_name ON transfers (workspace_id, chain, tx_hash, token, to_address, ordinal);
CREATE UNIQUE INDEX transfers_log ON transfers (workspace_id, chain, block_hash, log_index);
CREATE INDEX transfers_of_owner ON transfers (workspace_id, owner_id, created_at, id);
CREATE INDEX transfers_in_blocks ON transfers (chain, state, block_number);
CREATE INDEX transfers_changed ON transfers (owner_kind, updated_at, id);

-- Withdrawal addresses, of any workspace and on every EVM network.
CREATE TABLE withdraw_directory (
    lookup              TEXT NOT NULL PRIMARY KEY,
    workspace_id        TEXT NOT NULL,
    withdraw_address_id TEXT NOT NULL
);

-- What a wallet signed, and what came to it. What moves between the addresses of
-- one wallet came from nowhere else, and is there as what was sent.
CREATE VIEW wallet_history AS
SELECT t.workspace_id, t.wallet_id, t.id, CAST('send' AS TEXT) AS type, t.tx_hash, t.amount, t.token_symbol, t.from_address,
    t.to_address, t.chain, CAST(CASE t.state WHEN 'broadcast' THEN 'pending' ELSE t.state END AS TEXT) AS status,
    t.block_number, t.created_at
FROM transactions t WHERE t.state IN ('pending', 'broadcast', 'confirmed', 'failed')
UNION ALL
SELECT f.workspace_id, f.owner_id, f.id, CAST('receive' AS TEXT), f.tx_hash, f.units, f.token_symbol, f.from_address,
    f.to_address, f.chain, CAST(CASE f.state WHEN 'seen' THEN 'pending' WHEN 'final' THEN 'confirmed' ELSE 'failed' END AS TEXT),
    f.block_number, f.created_at
FROM transfers f
WHERE f.owner_kind = 'wallet' AND NOT EXISTS (
    SELECT 1 FROM addresses a WHERE a.workspace_id = f.workspace_id AND a.lookup = f.from_address AND a.wallet_id = f.owner_id);
