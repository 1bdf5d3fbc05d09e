-- +goose Up

-- What requests of a provider are signed with, encrypted.
CREATE TABLE inbound_secrets (
    env    BIGINT NOT NULL,
    id     {id} NOT NULL, -- twilio or email
    secret BYTEA NOT NULL,
    PRIMARY KEY (env, id)
);

-- Messages that providers have reported, by a keyed hash of the sender and of the
-- provider's ID. A row remains when the contact is erased, so that a repeated
-- request doesn't store the message again.
CREATE TABLE received_messages (
    env         BIGINT NOT NULL,
    id_hash     BYTEA NOT NULL,
    received_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id_hash)
) {clustered};

-- To find the message of a delivery receipt.
CREATE INDEX messages_sent ON messages (env, provider_message_id) WHERE direction = 'outbound' AND provider_message_id IS NOT NULL;
