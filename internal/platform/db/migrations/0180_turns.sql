-- +goose Up

-- Whose turn it is in the conversation with a lead, and since when: us, them or nobody. Servers of the last release leave
-- turn_since empty. It is then the creation of the lead.
ALTER TABLE leads ADD COLUMN turn TEXT NOT NULL DEFAULT 'us';
ALTER TABLE leads ADD COLUMN turn_since TIMESTAMPTZ;
ALTER TABLE leads ADD COLUMN snoozed_until TIMESTAMPTZ;

-- Channels of consents that a form sent without an address for them.
ALTER TABLE leads ADD COLUMN unrecorded_consents TEXT NOT NULL DEFAULT '[]';

-- The person of the dealership who sent a message.
ALTER TABLE messages ADD COLUMN sent_by TEXT;

UPDATE leads SET turn = 'nobody' WHERE status IN ('converted', 'lost');
UPDATE leads SET turn = 'them', turn_since = touched_at WHERE status IN ('contacted', 'qualified', 'working');
UPDATE leads SET
    turn = (SELECT CASE WHEN m.direction = 'inbound' THEN 'us' ELSE 'them' END FROM messages m
        WHERE m.env = leads.env AND m.lead_id = leads.id AND NOT m.automatic AND NOT m.notice AND m.status NOT IN ('blocked', 'failed')
        ORDER BY m.id DESC LIMIT 1),
    turn_since = (SELECT m.created_at FROM messages m
        WHERE m.env = leads.env AND m.lead_id = leads.id AND NOT m.automatic AND NOT m.notice AND m.status NOT IN ('blocked', 'failed')
        ORDER BY m.id DESC LIMIT 1)
    WHERE status NOT IN ('converted', 'lost') AND EXISTS (SELECT 1 FROM messages m
        WHERE m.env = leads.env AND m.lead_id = leads.id AND NOT m.automatic AND NOT m.notice AND m.status NOT IN ('blocked', 'failed'));
UPDATE leads SET turn = 'nobody' WHERE turn = 'us' AND EXISTS (SELECT 1 FROM messages m
    WHERE m.env = leads.env AND m.lead_id = leads.id AND m.intent = 'stop' AND m.id = (SELECT MAX(l.id) FROM messages l
        WHERE l.env = leads.env AND l.lead_id = leads.id AND l.direction = 'inbound'));

CREATE INDEX leads_turn ON leads (env, turn, (COALESCE(turn_since, created_at)), id);
