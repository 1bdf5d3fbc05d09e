-- +goose Up

-- A copy of the total cost in the pricing, for reports. NULL if the invoice is unknown.
ALTER TABLE hulls ADD COLUMN cost_cents BIGINT;
{sqlite} UPDATE hulls SET cost_cents = (SELECT json_extract(p.cost, '$.invoice_cents') + COALESCE(json_extract(p.cost, '$.freight_cents'), 0)
{sqlite}     + COALESCE(json_extract(p.cost, '$.rigging_cents'), 0) + COALESCE(json_extract(p.cost, '$.pack_cents'), 0)
{sqlite}     + COALESCE(json_extract(p.cost, '$.reconditioning_cents'), 0)
{sqlite}     FROM hull_pricing p WHERE p.env = hulls.env AND p.id = hulls.id);
{postgres} UPDATE hulls SET cost_cents = (SELECT (p.cost::json->>'invoice_cents')::bigint + COALESCE((p.cost::json->>'freight_cents')::bigint, 0)
{postgres}     + COALESCE((p.cost::json->>'rigging_cents')::bigint, 0) + COALESCE((p.cost::json->>'pack_cents')::bigint, 0)
{postgres}     + COALESCE((p.cost::json->>'reconditioning_cents')::bigint, 0)
{postgres}     FROM hull_pricing p WHERE p.env = hulls.env AND p.id = hulls.id);

-- The inventory report reads only this index. The list of statuses must be the same.
CREATE INDEX hulls_in_stock ON hulls (env, received_on, timezone, status, ownership, location_id, price_usd, cost_cents)
    WHERE status IN ('on_order', 'in_transit', 'available', 'on_hold', 'sale_pending', 'not_for_sale');

CREATE INDEX hulls_sold ON hulls (env, sold_at) WHERE sold_at IS NOT NULL;
CREATE INDEX hull_price_cuts ON hull_price_changes (env, at) WHERE old_price_usd > new_price_usd;
-- The deals of the pipeline, without reading all others. The list of statuses must be the same.
CREATE INDEX deals_in_progress ON deals (env, id, status, paid_cents, hull_id, price_usd)
    WHERE status IN ('open', 'accepted', 'in_finance', 'contracted', 'funded', 'delivered');
CREATE INDEX deals_delivered ON deals (env, delivered_at) WHERE delivered_at IS NOT NULL;
-- The cash report reads only this index, unless it is about one location.
CREATE INDEX payments_received ON payments (env, received_on, type, kind, method, amount_cents, deal_id);

-- The first answer to a lead. SQLite also needs the columns of the condition in the index.
CREATE INDEX messages_answers ON messages (env, lead_id, sent_at, direction, automatic, notice)
    WHERE direction = 'outbound' AND automatic = FALSE AND notice = FALSE AND sent_at IS NOT NULL;
