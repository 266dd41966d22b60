-- +goose Up

-- A withdrawal address has a wallet of its own at the partner, which takes one
-- address of a chain and currency for each wallet. Those that are there keep the
-- one that they have. What is still being made is asked for under another key:
-- the old one may have been used with the old wallet.
DROP TABLE partner_wallets;

UPDATE withdraw_addresses SET keyed_at = 0, tried_at = 0 WHERE status = 'provisioning';
