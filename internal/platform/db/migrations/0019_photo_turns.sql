-- +goose Up

-- How often the server tried to decode the photo without finishing. After a few
-- times it is failed: it might be what stopped the server.
ALTER TABLE hull_photos ADD COLUMN attempts BIGINT NOT NULL DEFAULT 0;

-- A worker decodes the photo until then.
ALTER TABLE hull_photos ADD COLUMN claimed_until TIMESTAMPTZ;

CREATE INDEX hull_photos_processing ON hull_photos (env, id) WHERE state = 'processing';

-- When a photo of the environment was last decoded. Environments take turns.
CREATE TABLE photo_turns (
    env BIGINT NOT NULL PRIMARY KEY,
    at  TIMESTAMPTZ NOT NULL
) {clustered};
