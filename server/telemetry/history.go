package telemetry

import (
	"context"
	"time"
)

// Row is one packed row of history.
type Row struct {
	Key    Key
	Unit   int64  // hour since 1970 for minutes, day since 1970 for hours
	Writer string // the replica that heard the agents
	Packed []byte // Slots
}

// Units are rows with From <= Unit < To.
type Units struct{ From, To int64 }

// Numbered is a series and its number in the store.
type Numbered struct {
	Key
	Number int64
}

// Store keeps history.
type Store interface {
	// SaveHistory replaces rows by (Key, Unit, Writer): minutes are series-hours,
	// hours are series-days.
	SaveHistory(ctx context.Context, minutes, hours []Row) error
	// ListSeries gives the first n series that match and come behind a key, of those
	// with series-hours in hours or series-days in days; by key, as the store orders
	// texts. The zero key is before all.
	ListSeries(ctx context.Context, f Filter, after Key, n int, hours, days Units) ([]Numbered, error)
	// ReadMinutes gives the series-hours of these series, by key and unit.
	ReadMinutes(ctx context.Context, of []Numbered, hours Units) ([]Row, error)
	// ReadHours gives the series-days of these series, by key and unit.
	ReadHours(ctx context.Context, of []Numbered, days Units) ([]Row, error)
	// ResumeHistory gives the writer's rows of one hour and one day.
	ResumeHistory(ctx context.Context, writer string, hour, day int64) (minutes, hours []Row, err error)
	// PruneHistory drops series-hours before hour and series-days before day, a
	// bounded number at a time; done is false when there is more to drop.
	PruneHistory(ctx context.Context, hour, day int64) (dropped int64, done bool, err error)
}

// History answers range queries.
type History struct{ Store Store }

// Series is a stretch of one series.
type Series struct {
	Key     Key
	Step    time.Duration
	Samples []Timed
}

// Timed is a sample and the start of its window.
type Timed struct {
	At time.Time
	Sample
}

// The most samples a query may ask for of one series: a week of minutes.
const maxSamples = 7*24*60 + 1
