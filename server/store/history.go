package store

import (
	"context"
	"slices"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/allspark/allspark/server/telemetry"
)

type seriesRecord struct {
	ID    int64 `gorm:"primaryKey"`
	Scene string
	IDC   string `gorm:"column:idc"`
	App   string
	Point string
}

func (seriesRecord) TableName() string { return "series" }

func (r *seriesRecord) key() telemetry.Key {
	return telemetry.Key{Scene: r.Scene, IDC: r.IDC, App: r.App, Point: r.Point}
}

type hourRecord struct {
	SeriesID int64  `gorm:"primaryKey;autoIncrement:false"`
	Hour     int64  `gorm:"primaryKey;autoIncrement:false"`
	Writer   string `gorm:"primaryKey"`
	Minutes  []byte
}

func (hourRecord) TableName() string { return "series_hours" }

type dayRecord struct {
	SeriesID int64  `gorm:"primaryKey;autoIncrement:false"`
	Day      int64  `gorm:"primaryKey;autoIncrement:false"`
	Writer   string `gorm:"primaryKey"`
	Hours    []byte
}

func (dayRecord) TableName() string { return "series_days" }

// Rows in a statement: SQLite takes 32,766 parameters, and beyond some hundred
// rows neither database gets faster.
const historyBatch = 500

// SaveHistory implements telemetry.Store.
func (d *DB) SaveHistory(ctx context.Context, minutes, hours []telemetry.Row) error {
	ids, err := d.seriesIDs(ctx, minutes, hours)
	if err != nil {
		return err
	}
	hrs := each(minutes, func(r telemetry.Row) hourRecord {
		return hourRecord{SeriesID: ids[r.Key], Hour: r.Unit, Writer: r.Writer, Minutes: r.Packed}
	})
	days := each(hours, func(r telemetry.Row) dayRecord {
		return dayRecord{SeriesID: ids[r.Key], Day: r.Unit, Writer: r.Writer, Hours: r.Packed}
	})
	return d.write(ctx, "save history", func(tx *gorm.DB) error {
		if err := upsert(tx, hrs, "hour", "minutes"); err != nil {
			return err
		}
		return upsert(tx, days, "day", "hours")
	})
}

// upsert replaces rows. No two writers share a row, so their order is free.
func upsert[R any](tx *gorm.DB, rows []R, unit, body string) error {
	for batch := range slices.Chunk(rows, historyBatch) {
		err := tx.Clauses(clause.OnConflict{
			Columns:   []clause.Column{{Name: "series_id"}, {Name: unit}, {Name: "writer"}},
			DoUpdates: clause.AssignmentColumns([]string{body}),
		}).Create(&batch).Error
		if err != nil {
			return err
		}
	}
	return nil
}

// seriesIDs names every key by its number, and numbers new ones. Numbers never
// change, so they are remembered; in a transaction of its own, because a number
// remembered from one that is rolled back would point nowhere.
func (d *DB) seriesIDs(ctx context.Context, lists ...[]telemetry.Row) (map[telemetry.Key]int64, error) {
	ids := map[telemetry.Key]int64{}
	var fresh []seriesRecord
	for _, rows := range lists {
		for i := range rows {
			k := rows[i].Key
			if _, ok := ids[k]; ok {
				continue
			}
			ids[k] = 0
			if id, ok := d.series.Load(k); ok {
				ids[k] = id.(int64)
			} else {
				fresh = append(fresh, seriesRecord{Scene: k.Scene, IDC: k.IDC, App: k.App, Point: k.Point})
			}
		}
	}
	if len(fresh) == 0 {
		return ids, nil
	}
	// In one order, so that replicas that number the same series cannot deadlock.
	slices.SortFunc(fresh, func(a, b seriesRecord) int { return compareKeys(a.key(), b.key()) })
	err := d.write(ctx, "number series", func(tx *gorm.DB) error {
		for batch := range slices.Chunk(fresh, historyBatch) {
			keys := each(batch, func(r seriesRecord) []any { return []any{r.App, r.Point, r.IDC, r.Scene} })
			rows := slices.Clone(batch)
			if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Omit("id").Create(&rows).Error; err != nil {
				return err
			}
			var got []seriesRecord
			if err := tx.Where("(app, point, idc, scene) IN ?", keys).Find(&got).Error; err != nil {
				return err
			}
			for i := range got {
				ids[got[i].key()] = got[i].ID
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range fresh {
		k := fresh[i].key()
		d.series.Store(k, ids[k])
	}
	return ids, nil
}

func compareKeys(a, b telemetry.Key) int {
	return slices.Compare([]string{a.App, a.Point, a.IDC, a.Scene}, []string{b.App, b.Point, b.IDC, b.Scene})
}

// ListSeries implements telemetry.Store. Each series is looked up in the rows by
// its number, so the cost is that of the series that are listed or skipped.
func (d *DB) ListSeries(ctx context.Context, f telemetry.Filter, after telemetry.Key, n int, hours, days telemetry.Units) ([]telemetry.Numbered, error) {
	q := filtered(d.read(ctx).Table("series AS s"), f).Where("(EXISTS (SELECT 1 FROM series_hours h WHERE h.series_id = s.id AND h.hour >= ? AND h.hour < ?)"+
		" OR EXISTS (SELECT 1 FROM series_days h WHERE h.series_id = s.id AND h.day >= ? AND h.day < ?))", hours.From, hours.To, days.From, days.To)
	if after != (telemetry.Key{}) {
		q = q.Where("(s.app, s.point, s.idc, s.scene) > (?, ?, ?, ?)", after.App, after.Point, after.IDC, after.Scene)
	}
	var rs []seriesRecord
	if err := q.Order("s.app, s.point, s.idc, s.scene").Limit(n).Find(&rs).Error; err != nil {
		return nil, opaque(err, "list series")
	}
	return each(rs, func(r seriesRecord) telemetry.Numbered { return telemetry.Numbered{Key: r.key(), Number: r.ID} }), nil
}

func filtered(q *gorm.DB, f telemetry.Filter) *gorm.DB {
	for _, c := range [...]struct{ col, v string }{{"s.app", f.App}, {"s.point", f.Point}, {"s.idc", f.IDC}, {"s.scene", f.Scene}} {
		if c.v != "" {
			q = q.Where(c.col+" = ?", c.v)
		}
	}
	return q
}

// historyRow is a packed row joined with its key.
type historyRow struct {
	Scene  string
	IDC    string `gorm:"column:idc"`
	App    string
	Point  string
	Unit   int64
	Writer string
	Packed []byte
}

// ReadMinutes implements telemetry.Store.
func (d *DB) ReadMinutes(ctx context.Context, of []telemetry.Numbered, hours telemetry.Units) ([]telemetry.Row, error) {
	return d.history(ctx, "series_hours", "hour", "minutes", func(q *gorm.DB) *gorm.DB {
		return q.Where("h.series_id IN ? AND h.hour >= ? AND h.hour < ?", numbers(of), hours.From, hours.To)
	})
}

// ReadHours implements telemetry.Store.
func (d *DB) ReadHours(ctx context.Context, of []telemetry.Numbered, days telemetry.Units) ([]telemetry.Row, error) {
	return d.history(ctx, "series_days", "day", "hours", func(q *gorm.DB) *gorm.DB {
		return q.Where("h.series_id IN ? AND h.day >= ? AND h.day < ?", numbers(of), days.From, days.To)
	})
}

func numbers(of []telemetry.Numbered) []int64 {
	return each(of, func(n telemetry.Numbered) int64 { return n.Number })
}

// ResumeHistory implements telemetry.Store.
func (d *DB) ResumeHistory(ctx context.Context, writer string, hour, day int64) (minutes, hours []telemetry.Row, err error) {
	minutes, err = d.history(ctx, "series_hours", "hour", "minutes", func(q *gorm.DB) *gorm.DB {
		return q.Where("h.hour = ? AND h.writer = ?", hour, writer)
	})
	if err != nil {
		return nil, nil, err
	}
	hours, err = d.history(ctx, "series_days", "day", "hours", func(q *gorm.DB) *gorm.DB {
		return q.Where("h.day = ? AND h.writer = ?", day, writer)
	})
	return minutes, hours, err
}

func (d *DB) history(ctx context.Context, table, unit, body string, where func(*gorm.DB) *gorm.DB) ([]telemetry.Row, error) {
	q := d.read(ctx).Table("series AS s").
		Joins("JOIN " + table + " AS h ON h.series_id = s.id").
		Select("s.scene, s.idc, s.app, s.point, h." + unit + " AS unit, h.writer, h." + body + " AS packed")
	var rs []historyRow
	err := where(q).Order("s.app, s.point, s.idc, s.scene, h." + unit + ", h.writer").Find(&rs).Error
	if err != nil {
		return nil, opaque(err, "read history")
	}
	return each(rs, func(r historyRow) telemetry.Row {
		return telemetry.Row{
			Key:  telemetry.Key{Scene: r.Scene, IDC: r.IDC, App: r.App, Point: r.Point},
			Unit: r.Unit, Writer: r.Writer, Packed: r.Packed,
		}
	}), nil
}

// pruneBatch bounds one delete, so that it never holds SQLite's only writer for long.
const pruneBatch = 5000

// PruneHistory implements telemetry.Store.
func (d *DB) PruneHistory(ctx context.Context, hour, day int64) (dropped int64, done bool, err error) {
	done = true
	for _, x := range [...]struct {
		table, unit string
		before      int64
	}{{"series_hours", "hour", hour}, {"series_days", "day", day}} {
		err := d.write(ctx, "prune history", func(tx *gorm.DB) error {
			res := tx.Exec("DELETE FROM "+x.table+" WHERE (series_id, "+x.unit+", writer) IN (SELECT series_id, "+x.unit+
				", writer FROM "+x.table+" WHERE "+x.unit+" < ? LIMIT ?)", x.before, pruneBatch)
			dropped += res.RowsAffected
			done = done && res.RowsAffected < pruneBatch
			return res.Error
		})
		if err != nil {
			return dropped, false, err
		}
	}
	return dropped, done, nil
}

var _ telemetry.Store = (*DB)(nil)
