-- +goose Up
-- A plan played on the engine model; body holds what was foretold.
CREATE TABLE rehearsals (
    id         TEXT   NOT NULL PRIMARY KEY,
    plan_id    TEXT   NOT NULL,
    state      TEXT   NOT NULL,
    head       TEXT   NOT NULL,
    body       TEXT   NOT NULL,
    created_by TEXT   NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX rehearsals_plan ON rehearsals (plan_id, created_at);

-- +goose Down
DROP TABLE rehearsals;
