-- +goose Up
-- Who issues a token, by the word of its network's nodes. While seen is otherwise than kept, nobody is paid or credited
-- in the token.
CREATE TABLE token_issuers (
    chain   TEXT   NOT NULL, -- slug
    token   TEXT   NOT NULL, -- address
    symbol  TEXT   NOT NULL,
    kept    TEXT   NOT NULL, -- at first sight, or accepted since: a line for each fact, "mint authority: 9B5X…"
    kept_at BIGINT NOT NULL,
    seen    TEXT   NOT NULL, -- what nodes said last
    seen_at BIGINT NOT NULL, -- when they first said so
    PRIMARY KEY (chain, token)
);
