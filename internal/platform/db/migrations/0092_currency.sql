-- +goose Up

-- Currency that was received for a deal. More than $10,000 must be reported on Form 8300.
ALTER TABLE deals ADD COLUMN currency_cents BIGINT NOT NULL DEFAULT 0;
UPDATE deals SET currency_cents = COALESCE((SELECT CAST(SUM(CASE WHEN type IN ('payment', 'transfer_in') THEN amount_cents
    WHEN type IN ('reversal', 'transfer_out') THEN -amount_cents ELSE 0 END) AS BIGINT)
    FROM payments WHERE payments.env = deals.env AND payments.deal_id = deals.id AND payments.method = 'cash'), 0);

-- Boats that are sold and not delivered, for the inventory report.
CREATE INDEX hulls_sold_in_stock ON hulls (env, location_id, received_on, price_usd, cost_cents) WHERE status = 'sold';
