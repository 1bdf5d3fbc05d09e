-- +goose Up

-- When a lost lead is open again.
ALTER TABLE leads ADD COLUMN reopen_at TIMESTAMPTZ;
CREATE INDEX leads_reopen ON leads (env, reopen_at) WHERE reopen_at IS NOT NULL;
