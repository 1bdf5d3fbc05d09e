-- +goose Up

-- New senders of each hour. More than the dealership's limit go to the quarantine.
CREATE TABLE new_senders (
    env     BIGINT NOT NULL,
    hour    TIMESTAMPTZ NOT NULL,
    senders BIGINT NOT NULL,
    PRIMARY KEY (env, hour)
) {clustered};

-- Messages of new senders that wait for a user.
CREATE TABLE quarantined_messages (
    env                 BIGINT NOT NULL,
    id                  {id} NOT NULL,
    channel             TEXT NOT NULL,
    from_address        TEXT NOT NULL,
    from_name           TEXT NOT NULL,
    to_address          TEXT NOT NULL,
    subject             TEXT,
    body                TEXT NOT NULL,
    provider_message_id TEXT NOT NULL,
    authentication      TEXT,
    sender_verified     BOOLEAN,
    address_hash        BYTEA NOT NULL,
    received_at         TIMESTAMPTZ NOT NULL,
    expires_at          TIMESTAMPTZ NOT NULL,
    created_at          TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
);

CREATE INDEX quarantined_messages_address ON quarantined_messages (env, address_hash);
