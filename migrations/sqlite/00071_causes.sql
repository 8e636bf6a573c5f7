-- +goose Up
-- What led to a shift, as codes and what fills them in; empty in rows from before.
ALTER TABLE shifts ADD COLUMN causes TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE shifts DROP COLUMN causes;
