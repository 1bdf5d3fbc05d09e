-- +goose Up

-- People and companies. Neither email nor phone is unique: duplicates happen
-- and are merged by users.
CREATE TABLE contacts (
    env               BIGINT NOT NULL,
    id                {id} NOT NULL,
    kind              TEXT NOT NULL,
    first_name        TEXT,
    last_name         TEXT,
    company_name      TEXT,
    email             {id}, -- in lower case
    phone             {id}, -- E.164
    address           TEXT,
    timezone          TEXT,
    preferred_channel TEXT,
    tags              TEXT NOT NULL,
    merged_into       {id},
    erased_at         TIMESTAMPTZ,
    metadata          TEXT NOT NULL,
    version           BIGINT NOT NULL,
    created_at        TIMESTAMPTZ NOT NULL,
    updated_at        TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
) {clustered};

CREATE INDEX contacts_email ON contacts (env, email, id) WHERE email IS NOT NULL;
CREATE INDEX contacts_phone ON contacts (env, phone, id) WHERE phone IS NOT NULL;
CREATE INDEX contacts_updated ON contacts (env, updated_at, id);
CREATE INDEX contacts_merged ON contacts (env, merged_into) WHERE merged_into IS NOT NULL;

-- The search terms and tags of a contact.
CREATE TABLE contact_terms (
    env  BIGINT NOT NULL,
    term {id} NOT NULL,
    id   {id} NOT NULL,
    PRIMARY KEY (env, term, id)
) {clustered};

CREATE INDEX contact_terms_contact ON contact_terms (env, id);

-- Consent records, which are never changed: grants and revocations, with the
-- evidence.
CREATE TABLE consents (
    env                  BIGINT NOT NULL,
    id                   {id} NOT NULL,
    contact_id           {id} NOT NULL,
    lead_id              {id},
    direction            TEXT NOT NULL,
    channels             TEXT NOT NULL,
    scope                TEXT NOT NULL,
    basis                TEXT,
    address              TEXT,
    bindings             TEXT NOT NULL,
    person_name          TEXT,
    consent_text         TEXT,
    consent_text_version TEXT,
    source               TEXT,
    source_url           TEXT,
    method               TEXT,
    captured_at          TIMESTAMPTZ NOT NULL,
    captured_by          TEXT,
    ip                   TEXT,
    user_agent           TEXT,
    evidence             TEXT NOT NULL,
    expires_at           TIMESTAMPTZ,
    revokes_id           {id},
    reason               TEXT,
    raw_text             TEXT,
    created_at           TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id),
    FOREIGN KEY (env, contact_id) REFERENCES contacts (env, id)
);

CREATE INDEX consents_contact ON consents (env, contact_id, id);
CREATE INDEX consents_lead ON consents (env, lead_id, id) WHERE lead_id IS NOT NULL;
CREATE UNIQUE INDEX consents_revokes ON consents (env, revokes_id) WHERE revokes_id IS NOT NULL;

-- The addresses of a record. The address is a keyed hash that remains after the
-- erasure of the contact, so that a revocation still blocks.
CREATE TABLE consent_bindings (
    env          BIGINT NOT NULL,
    address_hash BYTEA NOT NULL,
    channel      TEXT NOT NULL,
    id           {id} NOT NULL, -- ID of the consent
    PRIMARY KEY (env, address_hash, channel, id)
) {clustered};

CREATE INDEX consent_bindings_consent ON consent_bindings (env, id);

-- One row per address, for writers to lock: of two concurrent STOPs, the
-- second finds the first.
CREATE TABLE consent_addresses (
    env          BIGINT NOT NULL,
    address_hash BYTEA NOT NULL,
    changes      BIGINT NOT NULL,
    PRIMARY KEY (env, address_hash)
) {clustered};

CREATE TABLE leads (
    env            BIGINT NOT NULL,
    id             {id} NOT NULL,
    contact_id     {id} NOT NULL,
    source         TEXT NOT NULL,
    source_detail  TEXT,
    status         TEXT NOT NULL,
    hull_id        {id},
    location_id    {id},
    interest       TEXT,
    message        TEXT,
    budget_min_usd BIGINT,
    budget_max_usd BIGINT,
    timeline       TEXT,
    owner_id       {id},
    score_sum      DOUBLE PRECISION NOT NULL, -- sum of the weights of the signals, decayed until score_at
    score_at       TIMESTAMPTZ NOT NULL,
    needs_review   BOOLEAN NOT NULL,
    touched_at     TIMESTAMPTZ NOT NULL,
    stalled_at     TIMESTAMPTZ,
    lost_reason    TEXT,
    deal_id        {id},
    metadata       TEXT NOT NULL,
    version        BIGINT NOT NULL,
    created_at     TIMESTAMPTZ NOT NULL,
    updated_at     TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id),
    FOREIGN KEY (env, contact_id) REFERENCES contacts (env, id)
) {clustered};

CREATE INDEX leads_contact ON leads (env, contact_id, id);
CREATE INDEX leads_status ON leads (env, status, id);
CREATE INDEX leads_owner ON leads (env, owner_id, id);
CREATE INDEX leads_hull ON leads (env, hull_id, id) WHERE hull_id IS NOT NULL;
CREATE INDEX leads_updated ON leads (env, updated_at, id);
-- For the job that finds stalled leads.
CREATE INDEX leads_untouched ON leads (env, touched_at) WHERE stalled_at IS NULL AND status NOT IN ('converted', 'lost');

CREATE TABLE lead_assignments (
    env     BIGINT NOT NULL,
    id      {id} NOT NULL,
    lead_id {id} NOT NULL,
    from_id {id},
    to_id   {id} NOT NULL,
    method  TEXT NOT NULL,
    reason  TEXT,
    actor   TEXT NOT NULL,
    at      TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, lead_id, id)
) {clustered};

-- The last assigned user at each location.
CREATE TABLE lead_rotations (
    env         BIGINT NOT NULL,
    location_id {id} NOT NULL, -- '' for leads without one
    last_id     {id} NOT NULL, -- '' before the first assignment
    turns       BIGINT NOT NULL,
    PRIMARY KEY (env, location_id)
) {clustered};

CREATE TABLE lead_signals (
    env         BIGINT NOT NULL,
    id          {id} NOT NULL,
    lead_id     {id} NOT NULL,
    kind        TEXT NOT NULL,
    hull_id     {id},
    value       DOUBLE PRECISION,
    source      TEXT,
    occurred_at TIMESTAMPTZ NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, lead_id, id)
) {clustered};

CREATE TABLE messages (
    env                 BIGINT NOT NULL,
    id                  {id} NOT NULL,
    lead_id             {id} NOT NULL,
    contact_id          {id} NOT NULL,
    channel             TEXT NOT NULL,
    direction           TEXT NOT NULL,
    purpose             TEXT,
    automatic           BOOLEAN NOT NULL,
    to_address          TEXT,
    from_address        TEXT,
    subject             TEXT,
    body                TEXT,
    status              TEXT NOT NULL,
    block_reason        TEXT,
    provider            TEXT,
    provider_message_id {id},
    segments            BIGINT,
    consent_id          {id},
    scheduled_for       TIMESTAMPTZ,
    expires_at          TIMESTAMPTZ,
    sent_at             TIMESTAMPTZ,
    delivered_at        TIMESTAMPTZ,
    failed_at           TIMESTAMPTZ,
    error_code          TEXT,
    error_message       TEXT,
    attempts            BIGINT NOT NULL,
    intent              TEXT,
    needs_review        BOOLEAN NOT NULL,
    reply_to_id         {id},
    confirms_id         {id}, -- revocation that it confirms
    address_hash        BYTEA, -- of the contact; remains after its erasure
    lease_until         TIMESTAMPTZ, -- while a worker is sending it
    received_at         TIMESTAMPTZ,
    version             BIGINT NOT NULL,
    created_at          TIMESTAMPTZ NOT NULL,
    updated_at          TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
);

CREATE INDEX messages_lead ON messages (env, lead_id, id);
CREATE INDEX messages_contact ON messages (env, contact_id, id);
CREATE INDEX messages_address ON messages (env, address_hash, id);
CREATE UNIQUE INDEX messages_confirms ON messages (env, confirms_id) WHERE confirms_id IS NOT NULL; -- one confirmation each
-- Providers can report a message more than once.
CREATE UNIQUE INDEX messages_received ON messages (env, channel, provider_message_id) WHERE direction = 'inbound' AND provider_message_id IS NOT NULL;
