-- +goose Up

-- Where a hull is. A hull that a deal reserved before it arrived is followed with it.
ALTER TABLE hulls ADD COLUMN stock_state TEXT NOT NULL DEFAULT 'in_stock';
UPDATE hulls SET stock_state = CASE WHEN status IN ('on_order', 'in_transit') THEN status ELSE 'released' END
    WHERE status IN ('on_order', 'in_transit', 'delivered');
UPDATE hulls SET stock_state = CASE WHEN status_before = 'delivered' THEN 'released' ELSE status_before END
    WHERE status = 'archived' AND status_before IN ('on_order', 'in_transit', 'delivered');
UPDATE hulls SET stock_state = COALESCE((SELECT CASE WHEN deals.hull_status = 'in_transit' THEN 'in_transit' ELSE 'on_order' END FROM deals
        WHERE deals.env = hulls.env AND deals.id = hulls.deal_id), 'on_order')
    WHERE status IN ('sale_pending', 'sold') AND (received_on IS NULL OR hin IS NULL AND hin_absent_reason IS NULL);

-- The order with the manufacturer.
ALTER TABLE hulls ADD COLUMN order_number TEXT;
ALTER TABLE hulls ADD COLUMN expected_on TEXT;
ALTER TABLE hulls ADD COLUMN options TEXT NOT NULL DEFAULT '[]';

-- The HIN that a document states, and the one of the signed agreement of a deal. An agreement from before the boat had its HIN
-- must be issued again.
ALTER TABLE documents ADD COLUMN hin TEXT;
UPDATE documents SET hin = (SELECT hulls.hin FROM deals JOIN hulls ON hulls.env = deals.env AND hulls.id = deals.hull_id
        WHERE deals.env = documents.env AND deals.id = documents.deal_id)
    WHERE kind = 'purchase_agreement' AND status <> 'voided';
ALTER TABLE deals ADD COLUMN agreement_hin TEXT;
UPDATE deals SET agreement_hin = (SELECT hulls.hin FROM hulls WHERE hulls.env = deals.env AND hulls.id = deals.hull_id)
    WHERE signed_agreement_id IS NOT NULL;
