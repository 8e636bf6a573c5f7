-- +goose Up
-- Steps that at least one machine held beforehand: it fires them by itself.
CREATE TABLE plan_staged (
    plan_id    TEXT   NOT NULL,
    occurrence TEXT   NOT NULL,
    step       TEXT   NOT NULL,
    epoch      BIGINT NOT NULL,
    PRIMARY KEY (plan_id, occurrence, step, epoch)
);

-- +goose Down
DROP TABLE plan_staged;
