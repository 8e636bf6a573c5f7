-- +goose Up
-- When an order set was decided for: a staged step counts until a later one comes.
ALTER TABLE shifts ADD COLUMN decided_at BIGINT NOT NULL DEFAULT 0;

CREATE TABLE plans (
    id          TEXT    NOT NULL PRIMARY KEY,
    name        TEXT    NOT NULL,
    state       TEXT    NOT NULL,
    epoch       BIGINT  NOT NULL,
    body        TEXT    NOT NULL,
    version     BIGINT  NOT NULL,
    created_by  TEXT    NOT NULL,
    created_at  BIGINT  NOT NULL,
    updated_by  TEXT    NOT NULL,
    updated_at  BIGINT  NOT NULL,
    approved_by TEXT    NOT NULL,
    approved_at BIGINT  NOT NULL
);
CREATE UNIQUE INDEX plans_name ON plans (name);

-- What became of a step in one occurrence of its plan; its key lets it happen once.
CREATE TABLE plan_runs (
    plan_id    TEXT    NOT NULL,
    occurrence TEXT    NOT NULL,
    step       TEXT    NOT NULL,
    epoch      BIGINT  NOT NULL,
    state      TEXT    NOT NULL,
    start_at   BIGINT  NOT NULL,
    end_at     BIGINT  NOT NULL,
    fired_at   BIGINT  NOT NULL,
    staged     BOOLEAN NOT NULL,
    reason     TEXT    NOT NULL,
    claims     TEXT    NOT NULL,
    updated_at BIGINT  NOT NULL,
    PRIMARY KEY (plan_id, occurrence, step)
);
CREATE INDEX plan_runs_end ON plan_runs (end_at);

CREATE TABLE freezes (
    id         TEXT   NOT NULL PRIMARY KEY,
    app        TEXT   NOT NULL,
    idc        TEXT   NOT NULL,
    from_at    BIGINT NOT NULL,
    until_at   BIGINT NOT NULL,
    reason     TEXT   NOT NULL,
    created_by TEXT   NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX freezes_until ON freezes (until_at);

CREATE TABLE break_glass (
    id           TEXT   NOT NULL PRIMARY KEY,
    requested_by TEXT   NOT NULL,
    requested_at BIGINT NOT NULL,
    reason       TEXT   NOT NULL,
    until_at     BIGINT NOT NULL,
    approved_by  TEXT   NOT NULL,
    approved_at  BIGINT NOT NULL
);

CREATE TABLE protected_scenes (
    scene    TEXT   NOT NULL PRIMARY KEY,
    added_by TEXT   NOT NULL,
    added_at BIGINT NOT NULL
);

-- +goose Down
DROP TABLE protected_scenes;
DROP TABLE break_glass;
DROP TABLE freezes;
DROP TABLE plan_runs;
DROP TABLE plans;
ALTER TABLE shifts DROP COLUMN decided_at;
