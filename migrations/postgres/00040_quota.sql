-- +goose Up
CREATE TABLE quota_groups (
    id          TEXT    NOT NULL PRIMARY KEY,
    name        TEXT    NOT NULL,
    body        TEXT    NOT NULL,
    version     BIGINT  NOT NULL,
    created_by  TEXT    NOT NULL,
    created_at  BIGINT  NOT NULL,
    updated_by  TEXT    NOT NULL,
    updated_at  BIGINT  NOT NULL
);

-- A minute of a group; body holds its figures.
CREATE TABLE quota_minutes (
    group_id TEXT   NOT NULL,
    minute   BIGINT NOT NULL,
    body     TEXT   NOT NULL,
    PRIMARY KEY (group_id, minute)
);
CREATE UNIQUE INDEX quota_groups_name ON quota_groups (name);
CREATE INDEX quota_minutes_minute ON quota_minutes (minute);

-- +goose Down
DROP TABLE quota_minutes;
DROP TABLE quota_groups;
