-- +goose Up

-- The second version was dated in the future, before it was released. A version that is
-- released between then and that date must not reach these credentials by accident.
UPDATE api_keys SET pin = '2026-11-18' WHERE pin = '2026-12-01';
UPDATE apps SET pin = '2026-11-18' WHERE pin = '2026-12-01';
UPDATE webhooks SET api_version = '2026-11-18' WHERE api_version = '2026-12-01';
