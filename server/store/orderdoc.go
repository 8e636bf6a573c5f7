package store

import (
	"time"

	"github.com/allspark/allspark/proto/gear"
)

type settingDoc struct {
	Name  string   `json:"name"`
	Value valueDoc `json:"value"`
}

type orderDoc struct {
	Scene           string        `json:"scene"`
	Point           string        `json:"point"`
	Bucket          string        `json:"bucket"`
	Table           string        `json:"table"`
	Strategy        string        `json:"strategy"`
	Settings        []settingDoc  `json:"settings,omitempty"`
	Level           int           `json:"level"`
	MinLevel        int           `json:"min"`
	MaxLevel        int           `json:"max"`
	AvailableRT     time.Duration `json:"available_rt_ns,omitempty"`
	Timeout         time.Duration `json:"timeout_ns,omitempty"`
	Pinned          bool          `json:"pinned,omitempty"`
	Template        string        `json:"template,omitempty"`
	TemplateVersion int           `json:"template_version,omitempty"`
}

func toOrderDoc(o gear.Order) orderDoc {
	return orderDoc{
		Scene: o.Scene, Point: o.Point, Bucket: o.Bucket, Table: o.Table, Strategy: string(o.Strategy),
		Settings: each(o.Settings, func(s gear.Setting) settingDoc { return settingDoc{s.Name, valueDoc(s.Value)} }),
		Level:    o.Level, MinLevel: o.MinLevel, MaxLevel: o.MaxLevel, AvailableRT: o.AvailableRT, Timeout: o.Timeout,
		Pinned: o.Pinned, Template: o.Template, TemplateVersion: o.TemplateVersion,
	}
}

func (d orderDoc) order() gear.Order {
	return gear.Order{
		Scene: d.Scene, Point: d.Point, Bucket: d.Bucket, Table: d.Table, Strategy: gear.Strategy(d.Strategy),
		Settings: each(d.Settings, func(s settingDoc) gear.Setting { return gear.Setting{Name: s.Name, Value: gear.Value(s.Value)} }),
		Level:    d.Level, MinLevel: d.MinLevel, MaxLevel: d.MaxLevel, AvailableRT: d.AvailableRT, Timeout: d.Timeout,
		Pinned: d.Pinned, Template: d.Template, TemplateVersion: d.TemplateVersion,
	}
}

type columnDoc struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

type tableDoc struct {
	Params []columnDoc  `json:"params"`
	Rows   [][]valueDoc `json:"rows"`
	Work   []float64    `json:"work"`
}

func toTableDoc(t *gear.LevelTable) tableDoc {
	return tableDoc{
		Params: each(t.Params, func(p gear.TableParam) columnDoc { return columnDoc{p.Name, p.Kind.String()} }),
		Rows: each(t.Rows, func(r []gear.Value) []valueDoc {
			return each(r, func(v gear.Value) valueDoc { return valueDoc(v) })
		}),
		Work: t.Work,
	}
}

func (d tableDoc) table(hash string) gear.LevelTable {
	return gear.LevelTable{
		Hash: hash,
		Params: each(d.Params, func(p columnDoc) gear.TableParam {
			kind, _ := gear.ParseKind(p.Type)
			return gear.TableParam{Name: p.Name, Kind: kind}
		}),
		Rows: each(d.Rows, func(r []valueDoc) []gear.Value {
			return each(r, func(v valueDoc) gear.Value { return gear.Value(v) })
		}),
		Work: d.Work,
	}
}
