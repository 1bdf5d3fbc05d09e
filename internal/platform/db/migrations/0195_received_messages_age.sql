-- +goose Up

-- To delete what is older than 30 days.
CREATE INDEX received_messages_age ON received_messages (received_at);
