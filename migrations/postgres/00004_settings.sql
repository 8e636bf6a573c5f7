-- +goose Up
CREATE TABLE settings (
    id         BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    body       TEXT   NOT NULL,
    version    BIGINT NOT NULL,
    updated_by TEXT   NOT NULL,
    updated_at BIGINT NOT NULL
);

-- +goose Down
DROP TABLE settings;
