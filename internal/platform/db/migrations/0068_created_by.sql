-- +goose Up

-- The user whose key it is, for keys of slipway login. They can do what the user can, and
-- end with the user's access.
ALTER TABLE api_keys ADD COLUMN user_id {id};

UPDATE api_keys SET user_id = (SELECT u.id FROM users u WHERE u.env = api_keys.env AND api_keys.created_by LIKE '%"' || u.id || '"%')
    WHERE name LIKE 'CLI on %' AND expires_at IS NOT NULL AND created_by LIKE '%"user"%';

-- Who created it, or last set its URL, as JSON. Earlier rows get it from the audit log, if
-- it is still there.
ALTER TABLE webhooks ADD COLUMN created_by TEXT NOT NULL DEFAULT '{"type":"system","id":"system","label":"Slipway"}';
ALTER TABLE channels ADD COLUMN created_by TEXT NOT NULL DEFAULT '{"type":"system","id":"system","label":"Slipway"}';
ALTER TABLE user_calendars ADD COLUMN created_by TEXT NOT NULL DEFAULT '{"type":"system","id":"system","label":"Slipway"}';

{sqlite}   UPDATE webhooks SET created_by = COALESCE((SELECT json_object('type', a.actor_type, 'id', a.actor_id, 'label', a.actor_label)
{postgres} UPDATE webhooks SET created_by = COALESCE((SELECT json_build_object('type', a.actor_type, 'id', a.actor_id, 'label', a.actor_label)::text
    FROM audit_entries a WHERE a.env = webhooks.env AND a.target_id = webhooks.id AND a.action = 'webhook.created' ORDER BY a.id LIMIT 1), created_by);
{sqlite}   UPDATE channels SET created_by = COALESCE((SELECT json_object('type', a.actor_type, 'id', a.actor_id, 'label', a.actor_label)
{postgres} UPDATE channels SET created_by = COALESCE((SELECT json_build_object('type', a.actor_type, 'id', a.actor_id, 'label', a.actor_label)::text
    FROM audit_entries a WHERE a.env = channels.env AND a.target_id = channels.id AND a.action = 'channel.created' ORDER BY a.id LIMIT 1), created_by);
{sqlite}   UPDATE user_calendars SET created_by = COALESCE((SELECT json_object('type', a.actor_type, 'id', a.actor_id, 'label', a.actor_label)
{postgres} UPDATE user_calendars SET created_by = COALESCE((SELECT json_build_object('type', a.actor_type, 'id', a.actor_id, 'label', a.actor_label)::text
    FROM audit_entries a WHERE a.env = user_calendars.env AND a.target_id = user_calendars.user_id AND a.action = 'user.calendar_created' ORDER BY a.id DESC LIMIT 1), created_by);
