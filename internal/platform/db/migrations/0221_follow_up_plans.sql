-- +goose Up

-- Tasks and messages for a new lead, by day.
CREATE TABLE follow_up_plans (
    env        BIGINT NOT NULL,
    id         {id} NOT NULL,
    name       TEXT NOT NULL,
    active     BOOLEAN NOT NULL,
    sources    TEXT NOT NULL,
    steps      TEXT NOT NULL,
    version    BIGINT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
) {clustered};

-- A plan on a lead has a copy of the steps, and what happened to those that ran.
CREATE TABLE lead_plans (
    env        BIGINT NOT NULL,
    id         {id} NOT NULL,
    lead_id    {id} NOT NULL,
    plan_id    {id} NOT NULL,
    name       TEXT NOT NULL,
    status     TEXT NOT NULL,
    reason     TEXT,
    steps      TEXT NOT NULL,
    results    TEXT NOT NULL,
    next_at    TIMESTAMPTZ,
    started_at TIMESTAMPTZ NOT NULL,
    ended_at   TIMESTAMPTZ,
    version    BIGINT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
) {clustered};

CREATE INDEX lead_plans_lead ON lead_plans (env, lead_id, id);
CREATE UNIQUE INDEX lead_plans_running ON lead_plans (env, lead_id) WHERE status = 'running';

ALTER TABLE messages ADD COLUMN lead_plan_id {id};

-- How fast a location wants to answer a new lead.
ALTER TABLE locations ADD COLUMN response_goal_minutes BIGINT;
