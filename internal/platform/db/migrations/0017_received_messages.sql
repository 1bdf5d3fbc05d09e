-- +goose Up

-- Providers can report a message more than once. Clients choose the ID, so it
-- only identifies a message together with the lead and the sender.
DROP INDEX messages_received;
CREATE UNIQUE INDEX messages_received ON messages (env, lead_id, channel, provider_message_id, address_hash)
    WHERE direction = 'inbound' AND provider_message_id IS NOT NULL;
