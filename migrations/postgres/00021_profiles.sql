-- +goose Up
CREATE TABLE profiles (
    id               TEXT   NOT NULL PRIMARY KEY,
    app              TEXT   NOT NULL,
    point            TEXT   NOT NULL,
    scene            TEXT   NOT NULL,
    level_table      TEXT   NOT NULL,
    source           TEXT   NOT NULL,
    template         TEXT   NOT NULL,
    template_version BIGINT NOT NULL,
    body             TEXT   NOT NULL,
    measured_at      BIGINT NOT NULL,
    version          BIGINT NOT NULL,
    created_by       TEXT   NOT NULL,
    created_at       BIGINT NOT NULL,
    updated_by       TEXT   NOT NULL,
    updated_at       BIGINT NOT NULL
);
CREATE UNIQUE INDEX profiles_key ON profiles (app, point, scene, level_table, source);

-- +goose Down
DROP TABLE profiles;
