-- +goose Up

-- People who get an email each morning with what needs them. The id is that of the user.
CREATE TABLE daily_summaries (
    env        BIGINT NOT NULL,
    id         {id} NOT NULL,
    send_at    TEXT NOT NULL,
    next_at    TIMESTAMPTZ NOT NULL,
    day        TEXT NOT NULL, -- the last one that was handled, in the zone of the dealership
    sending    TEXT NOT NULL, -- the day whose email is being sent or was sent
    version    BIGINT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
) {clustered};

CREATE INDEX daily_summaries_due ON daily_summaries (env, next_at);
