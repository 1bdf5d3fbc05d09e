-- +goose Up

-- What customers wrote about themselves, even if the contact was known.
ALTER TABLE leads ADD COLUMN submitted_contact TEXT;
ALTER TABLE leads ADD COLUMN possible_mismatch BOOLEAN NOT NULL DEFAULT FALSE;

-- Whether round robin picks a user. NULL means by the roles.
ALTER TABLE users ADD COLUMN takes_leads BOOLEAN;
