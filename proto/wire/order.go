package wire

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/gear"
)

// FromTable makes the message of a level table.
func FromTable(t *gear.LevelTable) *agentv1.LevelTable {
	p := &agentv1.LevelTable{Hash: clean(t.Hash), Work: t.Work}
	for _, c := range t.Params {
		p.Params = append(p.Params, &agentv1.TableParam{Name: clean(c.Name), Kind: uint32(c.Kind)})
	}
	for _, row := range t.Rows {
		r := &agentv1.Row{Values: make([]*agentv1.Value, len(row))}
		for i, v := range row {
			if r.Values[i] = FromValue(v); r.Values[i] == nil {
				r.Values[i] = &agentv1.Value{} // a column keeps its place
			}
		}
		p.Rows = append(p.Rows, r)
	}
	return p
}

// ToTable reads a level table. Every row must be as long as there are columns.
func ToTable(p *agentv1.LevelTable) (gear.LevelTable, gear.Problems) {
	var c checker
	t := gear.LevelTable{Hash: c.name("hash", p.GetHash())}
	if n := len(p.GetParams()); n > 0 && c.size("params", n, MaxParams, "columns") {
		t.Params = make([]gear.TableParam, n)
		for i, x := range p.GetParams() {
			t.Params[i] = gear.TableParam{Name: c.name(at("params", i)+".name", x.GetName()), Kind: kind(x.GetKind())}
		}
	}
	if n := len(p.GetRows()); n > 0 && c.size("rows", n, MaxRows, "levels") {
		t.Rows = make([][]gear.Value, n)
		for i, r := range p.GetRows() {
			if len(r.GetValues()) != len(t.Params) {
				c.add(at("rows", i), codeSize, "level %d has %d values for %d parameters", i+1, len(r.GetValues()), len(t.Params))
				continue
			}
			t.Rows[i] = make([]gear.Value, len(t.Params))
			for k, v := range r.GetValues() {
				t.Rows[i][k] = c.value(fmt.Sprintf("rows[%d].%s", i, t.Params[k].Name), v)
			}
		}
	}
	if n := len(p.GetWork()); n > 0 && c.size("work", n, MaxRows, "levels") {
		t.Work = make([]float64, n)
		for i, w := range p.GetWork() {
			t.Work[i] = c.finite(at("work", i), w)
		}
	}
	return t, c.problems
}

// FromOrderSet makes the message of an order set.
func FromOrderSet(s *gear.OrderSet) *agentv1.OrderSet {
	p := &agentv1.OrderSet{
		App: clean(s.App), Idc: clean(s.IDC), Epoch: s.Epoch, Revision: s.Revision, Hash: clean(s.Hash),
		DecidedNs: nanos(s.Decided), Orders: make([]*agentv1.Order, len(s.Orders)),
	}
	for i := range s.Orders {
		p.Orders[i] = fromOrder(&s.Orders[i])
	}
	return p
}

func fromOrder(o *gear.Order) *agentv1.Order {
	p := &agentv1.Order{
		Scene: clean(o.Scene), Point: clean(o.Point), Bucket: clean(o.Bucket), Table: clean(o.Table), Strategy: clean(string(o.Strategy)),
		Level: small(o.Level), MinLevel: small(o.MinLevel), MaxLevel: small(o.MaxLevel),
		AvailableRtUs: o.AvailableRT.Microseconds(), TimeoutUs: o.Timeout.Microseconds(), Pinned: o.Pinned,
		Template: clean(o.Template), TemplateVersion: small(o.TemplateVersion),
	}
	for _, s := range o.Settings {
		p.Settings = append(p.Settings, &agentv1.Setting{Name: clean(s.Name), Value: FromValue(s.Value)})
	}
	return p
}

// ToOrderSet reads an order set.
func ToOrderSet(p *agentv1.OrderSet) (gear.OrderSet, gear.Problems) {
	var c checker
	v := c.version(p.GetEpoch(), p.GetRevision())
	s := gear.OrderSet{
		App: c.name("app", p.GetApp()), IDC: c.name("idc", p.GetIdc()),
		Epoch: v.Epoch, Revision: v.Revision, Hash: c.name("hash", p.GetHash()),
		Decided: unix(p.GetDecidedNs()),
	}
	if n := len(p.GetOrders()); n > 0 && c.size("orders", n, MaxOrders, "orders") {
		s.Orders = make([]gear.Order, n)
		for i, o := range p.GetOrders() {
			s.Orders[i] = c.order(at("orders", i), o)
		}
	}
	return s, c.problems
}

func (c *checker) order(here string, p *agentv1.Order) gear.Order {
	o := gear.Order{
		Scene: c.name(here+".scene", p.GetScene()), Point: c.name(here+".point", p.GetPoint()), Bucket: c.name(here+".bucket", p.GetBucket()),
		Table: c.name(here+".table", p.GetTable()), Strategy: gear.Strategy(c.name(here+".strategy", p.GetStrategy())),
		Level: int(p.GetLevel()), MinLevel: int(p.GetMinLevel()), MaxLevel: int(p.GetMaxLevel()),
		AvailableRT: c.micros(here+".available_rt", p.GetAvailableRtUs()), Timeout: c.micros(here+".timeout", p.GetTimeoutUs()),
		Pinned: p.GetPinned(), Template: c.name(here+".template", p.GetTemplate()), TemplateVersion: int(p.GetTemplateVersion()),
	}
	if n := len(p.GetSettings()); n > 0 && c.size(here+".settings", n, MaxSettings, "settings") {
		o.Settings = make([]gear.Setting, n)
		for i, s := range p.GetSettings() {
			o.Settings[i] = gear.Setting{
				Name:  c.name(at(here+".settings", i)+".name", s.GetName()),
				Value: c.value(here+".settings."+s.GetName(), s.GetValue()),
			}
		}
	}
	return o
}

// FromAck makes the message of an ack. A refusal always gets through: problems
// past the limit and text past its length are cut off.
func FromAck(a *gear.Ack) *agentv1.Ack {
	p := &agentv1.Ack{Epoch: a.Version.Epoch, Revision: a.Version.Revision, Refused: a.Refused}
	for _, x := range a.Problems[:min(len(a.Problems), MaxProblems)] {
		p.Problems = append(p.Problems, &agentv1.Problem{
			Path: clean(cut(x.Path, MaxName)), Code: clean(cut(x.Code, MaxName)), Message: clean(cut(x.Message, MaxText)),
		})
	}
	return p
}

// ToAck reads an ack. What is too long is cut off and control characters are
// replaced: the text of a refusal is shown to people and written to logs.
func ToAck(p *agentv1.Ack) (gear.Ack, gear.Problems) {
	var c checker
	a := gear.Ack{Version: c.version(p.GetEpoch(), p.GetRevision()), Refused: p.GetRefused()}
	for _, x := range p.GetProblems()[:min(len(p.GetProblems()), MaxProblems)] {
		a.Problems = append(a.Problems, gear.Problem{
			Path: Inert(cut(x.GetPath(), MaxName)), Code: Inert(cut(x.GetCode(), MaxName)), Message: Inert(cut(x.GetMessage(), MaxText)),
		})
	}
	return a, c.problems
}

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

// Inert replaces what could break a log line or a terminal.
func Inert(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' {
			return '\uFFFD'
		}
		return r
	}, s)
}

// Reference reads a point in reference time, zero for 0.
func Reference(ns int64) time.Time { return unix(ns) }
