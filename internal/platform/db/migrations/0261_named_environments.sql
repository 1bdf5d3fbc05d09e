-- +goose Up

-- Credentials name their environment. Those of earlier versions are found by the first column alone. An index with the
-- environment is possible on a database that is distributed by it.
CREATE UNIQUE INDEX api_keys_public_id_env ON api_keys (public_id, env);
DROP INDEX api_keys_public_id;
CREATE UNIQUE INDEX sessions_public_id_env ON sessions (public_id, env);
DROP INDEX sessions_public_id;
CREATE UNIQUE INDEX oauth_tokens_public_id_env ON oauth_tokens (public_id, env);
DROP INDEX oauth_tokens_public_id;
CREATE UNIQUE INDEX oauth_grants_code_env ON oauth_grants (code_public_id, env);
DROP INDEX oauth_grants_code;
CREATE UNIQUE INDEX scim_tokens_public_id_env ON scim_tokens (public_id, env);
DROP INDEX scim_tokens_public_id;
CREATE UNIQUE INDEX invitations_hash_env ON invitations (hash, env);
DROP INDEX invitations_hash;
CREATE UNIQUE INDEX email_changes_hash_env ON email_changes (hash, env);
DROP INDEX email_changes_hash;
CREATE UNIQUE INDEX user_calendars_hash_env ON user_calendars (hash, env);
DROP INDEX user_calendars_hash;
CREATE UNIQUE INDEX sso_connections_id_env ON sso_connections (id, env);
DROP INDEX sso_connections_id;
