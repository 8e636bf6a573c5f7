-- +goose Up
CREATE TABLE series (
    id    INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    scene TEXT NOT NULL,
    idc   TEXT NOT NULL,
    app   TEXT NOT NULL,
    point TEXT NOT NULL
);
CREATE UNIQUE INDEX series_key ON series (app, point, idc, scene);

CREATE TABLE series_hours (
    series_id BIGINT NOT NULL,
    hour      BIGINT NOT NULL,
    writer    TEXT   NOT NULL,
    minutes   BLOB   NOT NULL,
    PRIMARY KEY (series_id, hour, writer)
);
CREATE INDEX series_hours_hour ON series_hours (hour);

CREATE TABLE series_days (
    series_id BIGINT NOT NULL,
    day       BIGINT NOT NULL,
    writer    TEXT   NOT NULL,
    hours     BLOB   NOT NULL,
    PRIMARY KEY (series_id, day, writer)
);
CREATE INDEX series_days_day ON series_days (day);

-- +goose Down
DROP TABLE series_days;
DROP TABLE series_hours;
DROP TABLE series;
