-- +goose Up
CREATE TABLE allocations (
    id            TEXT   NOT NULL PRIMARY KEY,
    scene         TEXT   NOT NULL,
    idc           TEXT   NOT NULL,
    number        BIGINT NOT NULL,
    scene_version BIGINT NOT NULL,
    input_hash    TEXT   NOT NULL,
    cause         TEXT   NOT NULL,
    took          BIGINT NOT NULL,
    oldest        BIGINT NOT NULL,
    learned       BIGINT NOT NULL,
    first_ms      BIGINT NOT NULL,
    to_ms         BIGINT NOT NULL,
    effect        DOUBLE NOT NULL,
    gap           DOUBLE NOT NULL,
    made_by       TEXT   NOT NULL,
    at            BIGINT NOT NULL,
    body          BLOB NOT NULL
);
CREATE UNIQUE INDEX allocations_number ON allocations (scene, idc, number);

-- +goose Down
DROP TABLE allocations;
