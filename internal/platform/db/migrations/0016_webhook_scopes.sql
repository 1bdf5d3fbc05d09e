-- +goose Up

-- The scopes that limit the events of a webhook: those of the caller who last
-- set its events. Earlier rows don't have the scopes of their creator. They
-- keep every scope that the creator could have had, so that no delivery stops.
ALTER TABLE webhooks ADD COLUMN scopes TEXT NOT NULL DEFAULT '["hulls:read","leads:read","deals:read","webhooks","admin"]';
