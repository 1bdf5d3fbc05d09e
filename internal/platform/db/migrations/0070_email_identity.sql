-- +goose Up

-- An email that contains a link to restore consent.
ALTER TABLE messages ADD COLUMN link_expires_at TIMESTAMPTZ;
ALTER TABLE messages ADD COLUMN link_used_at TIMESTAMPTZ;

-- Whether the person revoked the consent, and not a user who recorded it.
ALTER TABLE consents ADD COLUMN by_person BOOLEAN NOT NULL DEFAULT FALSE;

-- What the mail provider found out about the sender of an email.
ALTER TABLE messages ADD COLUMN authentication TEXT;
ALTER TABLE messages ADD COLUMN sender_verified BOOLEAN;
