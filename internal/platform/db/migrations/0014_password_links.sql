-- +goose Up

-- A link is either an invitation or for a forgotten password. It only works while
-- the user has the email address that it was sent to.
ALTER TABLE invitations ADD COLUMN kind TEXT NOT NULL DEFAULT 'invitation';
ALTER TABLE invitations ADD COLUMN email TEXT NOT NULL DEFAULT '';
