package wire

import (
	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/gear"
)

// FromStaged makes the message of staged steps; tables are those its sets name.
func FromStaged(s *gear.Staged, tables []gear.LevelTable) *agentv1.StagedSteps {
	p := &agentv1.StagedSteps{App: clean(s.App), Idc: clean(s.IDC), AsOfNs: nanos(s.AsOf), Hash: clean(s.Hash)}
	for i := range tables {
		p.Tables = append(p.Tables, FromTable(&tables[i]))
	}
	for i := range s.Entries {
		e := &s.Entries[i]
		m := &agentv1.StagedEntry{AtNs: nanos(e.At), Orders: FromOrderSet(&e.Set), Peak: e.Peak}
		for _, x := range e.Steps {
			m.Steps = append(m.Steps, &agentv1.StagedStep{Plan: clean(x.Plan), Step: clean(x.Step), Epoch: x.Epoch, Ends: x.Ends})
		}
		p.Entries = append(p.Entries, m)
	}
	return p
}

// ToStaged reads staged steps and the tables that came along.
func ToStaged(p *agentv1.StagedSteps) (gear.Staged, []gear.LevelTable, gear.Problems) {
	var c checker
	s := gear.Staged{App: c.name("app", p.GetApp()), IDC: c.name("idc", p.GetIdc()), AsOf: unix(p.GetAsOfNs()), Hash: c.name("hash", p.GetHash())}
	var tables []gear.LevelTable
	if c.size("tables", len(p.GetTables()), MaxTables, "tables") {
		for i, m := range p.GetTables() {
			t, bad := ToTable(m)
			c.under(at("tables", i), bad)
			tables = append(tables, t)
		}
	}
	if c.size("entries", len(p.GetEntries()), gear.MaxStaged, "instants") {
		for i, m := range p.GetEntries() {
			here := at("entries", i)
			set, bad := ToOrderSet(m.GetOrders())
			c.under(here+".orders", bad)
			e := gear.StagedEntry{At: unix(m.GetAtNs()), Set: set, Peak: m.GetPeak()}
			if c.size(here+".steps", len(m.GetSteps()), MaxSettings, "steps") {
				for k, x := range m.GetSteps() {
					there := at(here+".steps", k)
					e.Steps = append(e.Steps, gear.StagedStep{
						Plan: c.name(there+".plan", x.GetPlan()), Step: c.name(there+".step", x.GetStep()), Epoch: x.GetEpoch(), Ends: x.GetEnds(),
					})
				}
			}
			s.Entries = append(s.Entries, e)
		}
	}
	return s, tables, c.problems
}

// FromStagedAck makes the message of an answer to staged steps.
func FromStagedAck(a *gear.StagedAck) *agentv1.StagedAck {
	m := FromAck(&gear.Ack{Problems: a.Problems})
	return &agentv1.StagedAck{Hash: clean(a.Hash), Refused: a.Refused, Problems: m.GetProblems()}
}

// ToStagedAck reads an answer to staged steps.
func ToStagedAck(p *agentv1.StagedAck) (gear.StagedAck, gear.Problems) {
	var c checker
	a, _ := ToAck(&agentv1.Ack{Problems: p.GetProblems()})
	return gear.StagedAck{Hash: c.name("hash", p.GetHash()), Refused: p.GetRefused(), Problems: a.Problems}, c.problems
}

func (c *checker) under(path string, bad gear.Problems) {
	for _, x := range bad.Under(path) {
		if len(c.problems) < MaxProblems {
			c.problems = append(c.problems, x)
		}
	}
}
