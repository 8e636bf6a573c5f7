-- +goose Up
CREATE TABLE scenes (
    id         TEXT   NOT NULL PRIMARY KEY,
    name       TEXT   NOT NULL,
    body       TEXT   NOT NULL,
    version    BIGINT NOT NULL,
    reason     TEXT   NOT NULL,
    created_by TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    updated_by TEXT   NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX scenes_name ON scenes (name);

-- Versions outlive their scene: tables and the audit log refer to them.
CREATE TABLE scene_versions (
    scene_id   TEXT   NOT NULL,
    version    BIGINT NOT NULL,
    body       TEXT   NOT NULL,
    reason     TEXT   NOT NULL,
    created_by TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    updated_by TEXT   NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (scene_id, version)
);

-- +goose Down
DROP TABLE scene_versions;
DROP TABLE scenes;
