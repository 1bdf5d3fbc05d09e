-- +goose Up

CREATE TABLE appointments (
    env              BIGINT NOT NULL,
    id               {id} NOT NULL,
    kind             TEXT NOT NULL,
    status           TEXT NOT NULL,
    contact_id       {id} NOT NULL,
    lead_id          {id},
    deal_id          {id},
    hull_id          {id},
    user_id          {id} NOT NULL,
    location_id      {id} NOT NULL,
    timezone         TEXT NOT NULL, -- a copy of the location's
    starts_at        TIMESTAMPTZ NOT NULL,
    ends_at          TIMESTAMPTZ NOT NULL,
    duration_minutes BIGINT NOT NULL,
    title            TEXT,
    notes            TEXT,
    reminder         TEXT,
    cancel_reason    TEXT,
    canceled_at      TIMESTAMPTZ,
    version          BIGINT NOT NULL,
    created_at       TIMESTAMPTZ NOT NULL,
    updated_at       TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id),
    FOREIGN KEY (env, contact_id) REFERENCES contacts (env, id)
) {clustered};

CREATE INDEX appointments_contact ON appointments (env, contact_id, id);
CREATE INDEX appointments_lead ON appointments (env, lead_id, id) WHERE lead_id IS NOT NULL;
CREATE INDEX appointments_hull ON appointments (env, hull_id, id) WHERE hull_id IS NOT NULL;
CREATE INDEX appointments_user ON appointments (env, user_id, id);
CREATE INDEX appointments_location ON appointments (env, location_id, id);
CREATE INDEX appointments_starts ON appointments (env, starts_at, id);
-- For calendars, and to find overlapping appointments.
CREATE INDEX appointments_calendar ON appointments (env, user_id, starts_at);

-- One row per user, for writers to lock: of two concurrent appointments, the
-- second finds the first.
CREATE TABLE appointment_users (
    env     BIGINT NOT NULL,
    user_id {id} NOT NULL,
    changes BIGINT NOT NULL,
    PRIMARY KEY (env, user_id)
) {clustered};

-- Reminders that were sent or are being sent. There is one for each time of an
-- appointment.
CREATE TABLE appointment_reminders (
    env            BIGINT NOT NULL,
    appointment_id {id} NOT NULL,
    starts_at      TIMESTAMPTZ NOT NULL,
    message_id     {id} NOT NULL,
    PRIMARY KEY (env, appointment_id, starts_at)
) {clustered};

CREATE UNIQUE INDEX appointment_reminders_message ON appointment_reminders (env, message_id);

-- The secret URLs of calendars.
CREATE TABLE user_calendars (
    env        BIGINT NOT NULL,
    user_id    {id} NOT NULL,
    hash       BYTEA NOT NULL, -- of the token
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, user_id)
) {clustered};

CREATE UNIQUE INDEX user_calendars_hash ON user_calendars (hash);

-- Messages that other features send, such as reminders. Quiet hours apply to them.
ALTER TABLE messages ADD COLUMN notice BOOLEAN NOT NULL DEFAULT FALSE;
