-- +goose Up

-- What changed the profit of a deal after it was delivered, or the money that a dealership keeps. Rows never change, and
-- reports count them when they were added, so the reports of earlier months don't change.
CREATE TABLE deal_adjustments (
    env          BIGINT NOT NULL,
    id           {id} NOT NULL,
    deal_id      {id} NOT NULL,
    kind         TEXT NOT NULL,
    position     BIGINT, -- of the product or line item that was canceled
    description  TEXT,
    amount_cents BIGINT NOT NULL, -- refund, balance written off or money kept
    price_cents  BIGINT NOT NULL, -- of the boat, negative if the sale was unwound
    front_cents  BIGINT NOT NULL, -- changes of the profits
    back_cents   BIGINT NOT NULL,
    paid_to      TEXT,
    payment_id   {id}, -- the refund
    effective_on TEXT,
    reason       TEXT,
    actor        TEXT NOT NULL,
    created_at   TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, deal_id, id)
) {clustered};

CREATE INDEX deal_adjustments_created ON deal_adjustments (env, created_at);

-- A product is canceled once.
CREATE UNIQUE INDEX deal_adjustments_once ON deal_adjustments (env, deal_id, kind, position) WHERE position IS NOT NULL;

-- The cost of the boat on the day of the delivery, and with what was billed since then. NULL if it is unknown.
ALTER TABLE deals ADD COLUMN delivered_cost_cents BIGINT;
ALTER TABLE deals ADD COLUMN booked_cost_cents BIGINT;
UPDATE deals SET delivered_cost_cents = (SELECT cost_cents FROM hulls WHERE hulls.env = deals.env AND hulls.id = deals.hull_id)
    WHERE delivered_at IS NOT NULL;
UPDATE deals SET booked_cost_cents = delivered_cost_cents;

-- Sums of the adjustments. Changed costs are not part of them.
ALTER TABLE deals ADD COLUMN front_adjusted_cents BIGINT NOT NULL DEFAULT 0;
ALTER TABLE deals ADD COLUMN back_adjusted_cents BIGINT NOT NULL DEFAULT 0;
ALTER TABLE deals ADD COLUMN canceled_products_cents BIGINT NOT NULL DEFAULT 0;

-- Deposits that were kept before.
INSERT INTO deal_adjustments (env, id, deal_id, kind, amount_cents, price_cents, front_cents, back_cents, actor, created_at)
    SELECT env, 'adj_' || SUBSTR(id, 6), id, 'forfeit', paid_cents, 0, 0, 0, '{"type":"system","id":"system","label":"Slipway"}', cancelled_at
    FROM deals WHERE status = 'cancelled' AND paid_cents > 0 AND cancelled_at IS NOT NULL;
