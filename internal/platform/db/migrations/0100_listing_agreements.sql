-- +goose Up

-- The agreement with the owner of a boat that the dealership sells for someone else. One of the commission, its rate and the
-- net price is set.
CREATE TABLE listing_agreements (
    env                     BIGINT NOT NULL,
    hull_id                 {id} NOT NULL,
    owner_contact_id        {id} NOT NULL,
    kind                    TEXT NOT NULL,
    commission_percent      TEXT,
    commission_cents        BIGINT,
    net_price_cents         BIGINT,
    co_broker               TEXT,
    co_broker_split_percent TEXT,
    escrow_holder           TEXT,
    ends_on                 TEXT,
    version                 BIGINT NOT NULL,
    created_at              TIMESTAMPTZ NOT NULL,
    updated_at              TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, hull_id)
) {clustered};

CREATE INDEX listing_agreements_owner ON listing_agreements (env, owner_contact_id);
