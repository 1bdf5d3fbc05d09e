-- +goose Up

-- Texts that are sent to many people, with the values of each.
CREATE TABLE message_templates (
    env        BIGINT NOT NULL,
    id         {id} NOT NULL,
    name       TEXT NOT NULL,
    channel    TEXT NOT NULL,
    subject    TEXT,
    body       TEXT NOT NULL,
    version    BIGINT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
) {clustered};

-- Which leads a campaign is for.
CREATE TABLE lead_segments (
    env        BIGINT NOT NULL,
    id         {id} NOT NULL,
    name       TEXT NOT NULL,
    filter     TEXT NOT NULL,
    version    BIGINT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
) {clustered};

-- A campaign has a copy of the segment and of the text. prepared_to is the last lead that became a recipient. Each turn of
-- its job has a number, so that a job that runs again after a crash doesn't become two.
CREATE TABLE campaigns (
    env          BIGINT NOT NULL,
    id           {id} NOT NULL,
    name         TEXT NOT NULL,
    status       TEXT NOT NULL,
    segment_id   {id} NOT NULL,
    template_id  {id} NOT NULL,
    filter       TEXT NOT NULL,
    channel      TEXT NOT NULL,
    subject      TEXT,
    body         TEXT NOT NULL,
    send_at      TIMESTAMPTZ,
    started_by   TEXT,
    started_at   TIMESTAMPTZ,
    ended_at     TIMESTAMPTZ,
    prepared     BOOLEAN NOT NULL DEFAULT FALSE,
    prepared_to  TEXT NOT NULL DEFAULT '',
    turn         BIGINT NOT NULL DEFAULT 0,
    version      BIGINT NOT NULL,
    created_at   TIMESTAMPTZ NOT NULL,
    updated_at   TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
) {clustered};

CREATE TABLE campaign_recipients (
    env          BIGINT NOT NULL,
    campaign_id  {id} NOT NULL,
    id           {id} NOT NULL,
    contact_id   {id} NOT NULL,
    lead_id      {id} NOT NULL,
    state        TEXT NOT NULL,
    reason       TEXT,
    due_at       TIMESTAMPTZ,
    message_id   {id},
    address_hash BYTEA,
    created_at   TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, campaign_id, id)
) {clustered};

CREATE UNIQUE INDEX campaign_recipients_contact ON campaign_recipients (env, campaign_id, contact_id);
CREATE UNIQUE INDEX campaign_recipients_address ON campaign_recipients (env, campaign_id, address_hash) WHERE address_hash IS NOT NULL;
CREATE INDEX campaign_recipients_waiting ON campaign_recipients (env, campaign_id, due_at) WHERE state = 'waiting';
CREATE INDEX campaign_recipients_of ON campaign_recipients (env, contact_id);

ALTER TABLE messages ADD COLUMN campaign_id {id};
CREATE INDEX messages_campaign ON messages (env, campaign_id, status) WHERE campaign_id IS NOT NULL;

-- Lists of numbers that must not get sales calls and marketing text messages.
CREATE TABLE do_not_call_lists (
    env        BIGINT NOT NULL,
    id         {id} NOT NULL,
    name       TEXT NOT NULL,
    numbers    BIGINT NOT NULL,
    complete   BOOLEAN NOT NULL,
    version    BIGINT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
) {clustered};

CREATE TABLE do_not_call_numbers (
    env     BIGINT NOT NULL,
    number  BIGINT NOT NULL,
    list_id {id} NOT NULL,
    PRIMARY KEY (env, number, list_id)
) {clustered};

CREATE INDEX do_not_call_numbers_list ON do_not_call_numbers (env, list_id);
