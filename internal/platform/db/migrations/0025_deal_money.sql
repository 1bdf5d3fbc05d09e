-- +goose Up

-- What a document states: a hash of the terms of the deal when it was issued.
-- Earlier documents have none.
ALTER TABLE documents ADD COLUMN terms TEXT;

-- The balance that was written off when the deal was closed.
ALTER TABLE deals ADD COLUMN write_off_reason TEXT;
ALTER TABLE deals ADD COLUMN written_off_cents BIGINT;

-- The deal that got the payments of a cancelled deal.
ALTER TABLE deals ADD COLUMN transferred_to_deal_id {id};

-- Costs that are unknown, so that the profit is unknown too.
ALTER TABLE deals ADD COLUMN trades_without_acv BIGINT NOT NULL DEFAULT 0;
ALTER TABLE deals ADD COLUMN products_without_cost BIGINT NOT NULL DEFAULT 0;
UPDATE deals SET trades_without_acv = (SELECT COUNT(*) FROM trade_ins
    WHERE trade_ins.env = deals.env AND trade_ins.deal_id = deals.id AND acv_cents IS NULL);
UPDATE deals SET products_without_cost = 1 WHERE EXISTS (SELECT 1 FROM finance_structures
    WHERE finance_structures.env = deals.env AND finance_structures.deal_id = deals.id
    AND finance_structures.id = deals.selected_structure_id AND products LIKE '%"cost_cents":null%');

-- An offer that was answered can't be accepted anymore.
UPDATE offers SET status = 'superseded', decided_at = updated_at
WHERE status = 'pending' AND EXISTS (SELECT 1 FROM offers AS answers
    WHERE answers.env = offers.env AND answers.deal_id = offers.deal_id AND answers.in_reply_to = offers.id);

-- A payment is also refunded, reversed or transferred by a separate row.
ALTER TABLE payments ADD COLUMN type TEXT NOT NULL DEFAULT 'payment';
ALTER TABLE payments ADD COLUMN transfer_deal_id {id};
ALTER TABLE payments ADD COLUMN transfer_payment_id {id};
UPDATE payments SET type = 'refund' WHERE refunds_payment_id IS NOT NULL;

ALTER TABLE trade_ins ADD COLUMN payoff_good_through_on TEXT;
ALTER TABLE trade_ins ADD COLUMN per_diem_cents BIGINT;

-- Lead or contact of a hold, so that its reason can be erased with the contact.
ALTER TABLE hull_history ADD COLUMN held_for {id};
CREATE INDEX hull_history_held_for ON hull_history (env, held_for) WHERE held_for IS NOT NULL;
