-- +goose Up

-- Copies of the pricing, so that lists of hulls show them.
ALTER TABLE hulls ADD COLUMN price_hidden BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE hulls ADD COLUMN price_type TEXT NOT NULL DEFAULT 'asking';
ALTER TABLE hulls ADD COLUMN msrp_usd BIGINT;
UPDATE hulls SET
    price_hidden = COALESCE((SELECT price_hidden FROM hull_pricing p WHERE p.env = hulls.env AND p.id = hulls.id), FALSE),
    price_type = COALESCE((SELECT price_type FROM hull_pricing p WHERE p.env = hulls.env AND p.id = hulls.id), 'asking'),
    msrp_usd = (SELECT msrp_usd FROM hull_pricing p WHERE p.env = hulls.env AND p.id = hulls.id);

-- A copy of the time zone of the location. Days in stock are local days.
ALTER TABLE hulls ADD COLUMN timezone TEXT NOT NULL DEFAULT 'UTC';
UPDATE hulls SET timezone = COALESCE(
    (SELECT l.timezone FROM locations l WHERE l.env = hulls.env AND l.id = hulls.location_id),
    (SELECT d.timezone FROM dealerships d WHERE d.env = hulls.env),
    'UTC');

-- Earlier records of a boat. Imports and trade-ins look for them.
CREATE INDEX hulls_closed_hin ON hulls (env, hin, id) WHERE status IN ('archived', 'delivered');
CREATE INDEX hulls_closed_stock_number ON hulls (env, stock_number, id) WHERE status IN ('archived', 'delivered');

ALTER TABLE hull_imports ADD COLUMN reacquire BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE hull_imports ADD COLUMN skipped BIGINT NOT NULL DEFAULT 0;

-- Rows of an import that were skipped, with the hull that has their number.
CREATE TABLE hull_import_skips (
    env       BIGINT NOT NULL,
    import_id {id} NOT NULL,
    row_no    BIGINT NOT NULL,
    field     TEXT NOT NULL,
    hull_id   {id} NOT NULL,
    message   TEXT NOT NULL,
    PRIMARY KEY (env, import_id, row_no)
) {clustered};
