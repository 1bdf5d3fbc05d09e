-- +goose Up

CREATE TABLE hulls (
    env                BIGINT NOT NULL,
    id                 {id} NOT NULL,
    hin                {id},
    hin_country        TEXT,
    hin_warnings       TEXT NOT NULL,
    hin_absent_reason  TEXT,
    stock_number       {id},
    make               TEXT NOT NULL,
    make_key           {id} NOT NULL, -- folded, for filters that ignore case
    model              TEXT NOT NULL,
    model_key          {id} NOT NULL,
    year               BIGINT NOT NULL,
    length_ft          DOUBLE PRECISION NOT NULL,
    price_usd          BIGINT NOT NULL,
    status             TEXT NOT NULL,
    status_before      TEXT, -- status that an archived hull returns to
    location_id        {id} NOT NULL,
    condition          TEXT NOT NULL,
    category           TEXT NOT NULL,
    boat_class         TEXT,
    title              TEXT,
    description        TEXT,
    ownership          TEXT NOT NULL,
    hold               TEXT,
    deal_id            {id}, -- the deal that has the hull, from acceptance until it is closed or cancelled
    photo_count        BIGINT NOT NULL,
    published_channels TEXT NOT NULL,
    received_on        TEXT,
    sold_at            TIMESTAMPTZ,
    archived_at        TIMESTAMPTZ,
    previous_hull_id   {id},
    metadata           TEXT NOT NULL,
    version            BIGINT NOT NULL,
    created_at         TIMESTAMPTZ NOT NULL,
    updated_at         TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id),
    FOREIGN KEY (env, location_id) REFERENCES locations (env, id)
) {clustered};

-- A sold boat can return as a trade-in, so only hulls in the active inventory are unique.
CREATE UNIQUE INDEX hulls_hin ON hulls (env, hin) WHERE status NOT IN ('archived', 'delivered');
CREATE UNIQUE INDEX hulls_stock_number ON hulls (env, stock_number) WHERE status NOT IN ('archived', 'delivered');

{postgres} CREATE INDEX hulls_active ON hulls (env, id) WHERE archived_at IS NULL;
CREATE INDEX hulls_status ON hulls (env, status, id);
CREATE INDEX hulls_location ON hulls (env, location_id, id);
CREATE INDEX hulls_make ON hulls (env, make_key, id);
CREATE INDEX hulls_updated ON hulls (env, updated_at, id);

-- The search terms of a hull. Both databases use the same rows, so
-- that they find the same hulls.
CREATE TABLE hull_terms (
    env  BIGINT NOT NULL,
    term {id} NOT NULL,
    id   {id} NOT NULL,
    PRIMARY KEY (env, term, id)
) {clustered};

CREATE INDEX hull_terms_hull ON hull_terms (env, id, term);

CREATE TABLE hull_specs (
    env        BIGINT NOT NULL,
    id         {id} NOT NULL, -- ID of the hull
    specs      TEXT NOT NULL,
    version    BIGINT NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
);

CREATE TABLE hull_pricing (
    env                BIGINT NOT NULL,
    id                 {id} NOT NULL, -- ID of the hull
    price_usd          BIGINT NOT NULL,
    msrp_usd           BIGINT,
    original_price_usd BIGINT NOT NULL,
    price_hidden       BOOLEAN NOT NULL,
    price_type         TEXT NOT NULL,
    cost               TEXT,
    floor_usd          BIGINT,
    effective_at       TIMESTAMPTZ NOT NULL,
    version            BIGINT NOT NULL,
    updated_at         TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
) {clustered};

CREATE TABLE hull_price_changes (
    env           BIGINT NOT NULL,
    id            {id} NOT NULL,
    hull_id       {id} NOT NULL,
    old_price_usd BIGINT,
    new_price_usd BIGINT NOT NULL,
    reason        TEXT,
    actor         TEXT NOT NULL,
    at            TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, hull_id, id)
) {clustered};

CREATE TABLE hull_history (
    env              BIGINT NOT NULL,
    id               {id} NOT NULL,
    hull_id          {id} NOT NULL,
    from_status      TEXT,
    to_status        TEXT NOT NULL,
    from_location_id {id},
    to_location_id   {id} NOT NULL,
    reason           TEXT,
    actor            TEXT NOT NULL,
    at               TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, hull_id, id)
) {clustered};

