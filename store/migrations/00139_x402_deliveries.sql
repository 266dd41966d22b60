-- +goose Up
-- Whether a seller delivered what an agent paid for, in four words. Older servers said "delivered: 0" also where nobody had
-- seen an answer yet: by a job that wrote its older row over the answer, and where the agent asks the seller by itself.
ALTER TABLE x402_payments ADD COLUMN delivery TEXT NOT NULL DEFAULT 'pending'; -- pending, delivered, undelivered, unseen
UPDATE x402_payments SET delivery = CASE
    WHEN delivered = 1 THEN 'delivered'
    WHEN request = '' OR (state = 'settled' AND http_status = 0 AND reason = '') THEN 'unseen'
    WHEN state IN ('settled', 'unused', 'void') THEN 'undelivered'
    ELSE 'pending' END;
DROP INDEX x402_payments_open;
CREATE INDEX x402_payments_open ON x402_payments (updated_at)
    WHERE state = 'prepared' OR state = 'signed' OR (state = 'settled' AND delivery = 'pending');

-- +goose Down
DROP INDEX x402_payments_open;
CREATE INDEX x402_payments_open ON x402_payments (updated_at) WHERE state = 'prepared' OR state = 'signed';
ALTER TABLE x402_payments DROP COLUMN delivery;
