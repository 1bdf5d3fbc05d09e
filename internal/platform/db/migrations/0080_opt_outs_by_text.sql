-- +goose Up

-- START by text message only restores what the person revoked. Mark the opt-outs by text
-- message from before by_person existed. A client can send the same source and method for
-- a record of a user, but not the time of a message with STOP.
UPDATE consents SET by_person = TRUE
WHERE direction = 'revoked' AND source = 'text_keyword' AND method = 'reply' AND NOT by_person AND EXISTS (
	SELECT 1 FROM messages m
	WHERE m.env = consents.env AND m.contact_id = consents.contact_id AND m.direction = 'inbound' AND m.channel = 'sms'
		AND m.intent = 'stop' AND m.created_at = consents.captured_at
);
