-- +goose Up

-- The public pages of a channel of the kind website. The id is that of the channel. The slug is in the path of the pages,
-- so it is unique in the installation.
CREATE TABLE websites (
    env         BIGINT NOT NULL,
    id          {id} NOT NULL,
    slug        TEXT NOT NULL,
    title       TEXT,
    color       TEXT,
    privacy_url TEXT,
    fine_print  TEXT,
    locations   TEXT NOT NULL,
    estimate    TEXT,
    estimate_on TEXT,
    sea_trials  TEXT,
    version     BIGINT NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    updated_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
) {clustered};

CREATE UNIQUE INDEX websites_slug ON websites (slug);

-- Forms that were sent, so that sending one again, such as by reloading the page, changes nothing.
CREATE TABLE website_sends (
    env     BIGINT NOT NULL,
    id      TEXT NOT NULL, -- a hash of the form and what was in it
    sent_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
) {clustered};

CREATE INDEX website_sends_age ON website_sends (env, sent_at);

-- People who want to know when the price of a boat drops. The email address is removed when the alert is confirmed: the contact
-- of the lead has it. An alert that is not confirmed is deleted after a week.
CREATE TABLE price_alerts (
    env          BIGINT NOT NULL,
    id           {id} NOT NULL,
    channel_id   {id} NOT NULL,
    hull_id      {id} NOT NULL,
    email        TEXT,
    address_hash BYTEA NOT NULL,
    state        TEXT NOT NULL, -- requested, confirmed or ended
    price_usd    BIGINT NOT NULL, -- that the person knows
    page         TEXT NOT NULL,
    ip           TEXT,
    user_agent   TEXT,
    lead_id      {id},
    confirmed_at TIMESTAMPTZ,
    ended_at     TIMESTAMPTZ,
    version      BIGINT NOT NULL,
    created_at   TIMESTAMPTZ NOT NULL,
    updated_at   TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
) {clustered};

CREATE INDEX price_alerts_address ON price_alerts (env, address_hash, updated_at);
CREATE UNIQUE INDEX price_alerts_of ON price_alerts (env, hull_id, address_hash);
CREATE INDEX price_alerts_age ON price_alerts (env, state, created_at);
