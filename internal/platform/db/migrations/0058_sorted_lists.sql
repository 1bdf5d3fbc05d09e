-- +goose Up

-- When the lead last wrote, or the dealership last worked on it.
ALTER TABLE leads ADD COLUMN last_activity_at TIMESTAMPTZ;
UPDATE leads SET last_activity_at = touched_at;
UPDATE leads SET last_activity_at = (SELECT MAX(m.created_at) FROM messages m WHERE m.env = leads.env AND m.lead_id = leads.id)
    WHERE EXISTS (SELECT 1 FROM messages m WHERE m.env = leads.env AND m.lead_id = leads.id AND m.created_at > leads.touched_at);
CREATE INDEX leads_active ON leads (env, last_activity_at, id);

-- The orders of the list of hulls. A hull that was not received yet is the newest.
CREATE INDEX hulls_year ON hulls (env, year, id);
CREATE INDEX hulls_length ON hulls (env, length_ft, id);
CREATE INDEX hulls_age ON hulls (env, (COALESCE(received_on, '9999-12-31')), id);
