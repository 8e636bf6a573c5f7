-- +goose Up
CREATE TABLE experiments (
    id         TEXT   NOT NULL PRIMARY KEY,
    name       TEXT   NOT NULL,
    state      TEXT   NOT NULL,
    body       TEXT   NOT NULL,
    started_at BIGINT NOT NULL,
    ends_at    BIGINT NOT NULL,
    ended_at   BIGINT NOT NULL,
    version    BIGINT NOT NULL,
    created_by TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX experiments_name ON experiments (name);
CREATE INDEX experiments_state ON experiments (state, created_at);

-- At most 61 spans of an arm and role, of each replica that heard of it.
CREATE TABLE experiment_spans (
    experiment_id TEXT   NOT NULL,
    role          TEXT   NOT NULL,
    arm           TEXT   NOT NULL,
    span          BIGINT NOT NULL,
    writer        TEXT   NOT NULL,
    body          TEXT   NOT NULL,
    rt            BYTEA   NOT NULL,
    PRIMARY KEY (experiment_id, role, arm, span, writer)
);

-- +goose Down
DROP TABLE experiment_spans;
DROP TABLE experiments;
