package plan

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/template"
)

// Example is the first seed's Double-11 as a document: 23:56 midnight gears,
// 0:03 automatic gears.
//
//go:embed examples/double-11.yaml
var Example []byte

// Read reads a plan's document strictly and checks it: everything wrong, in the
// order of the document, each with its place.
func Read(text []byte, format template.Format, now time.Time) (*Plan, gear.Problems) {
	s, problems := template.OpenStrict(text, format)
	if problems != nil {
		return &Plan{}, problems
	}
	p := readPlan(s)
	return p, s.Locate(Check(p, now))
}

func readPlan(s *template.Strict) *Plan {
	f := s.Fields(s.Root(), "", "name", "zone", "owner", "executor", "approver", "purpose", "repeat", "gap", "overlap", "steps")
	p := &Plan{
		Name: s.Text(f["name"], "name"), Zone: s.Text(f["zone"], "zone"), Owner: s.Text(f["owner"], "owner"),
		Executor: s.Text(f["executor"], "executor"), Approver: s.Text(f["approver"], "approver"), Purpose: s.Text(f["purpose"], "purpose"),
		Repeat: s.Text(f["repeat"], "repeat"), Gap: Gap(s.Text(f["gap"], "gap")), Overlap: Overlap(s.Text(f["overlap"], "overlap")),
	}
	for i, n := range s.List(f["steps"], "steps", MaxSteps) {
		p.Steps = append(p.Steps, readStep(s, n, fmt.Sprintf("steps[%d]", i)))
	}
	return p
}

func readStep(s *template.Strict, n template.Part, at string) Step {
	f := s.Fields(n, at, "name", "do", "at", "overlap", "after", "offset", "until", "until_at", "until_overlap", "for", "scope", "set")
	text := func(k string) string { return s.Text(f[k], at+"."+k) }
	length := func(k string) time.Duration {
		return s.Value(f[k], at+"."+k, gear.Param{Name: k, Kind: gear.KindDuration}).Duration()
	}
	x := Step{
		Name: text("name"), Do: Kind(text("do")), At: text("at"), Overlap: Overlap(text("overlap")), After: text("after"), Offset: length("offset"),
		Until: text("until"), UntilAt: text("until_at"), UntilOverlap: Overlap(text("until_overlap")), For: length("for"),
	}
	if x.Do == "" {
		x.Do = KindSet
	}
	scope := readScope(s, s.Fields(f["scope"], at+".scope", scopeFields...), at+".scope", control.Scope{Scene: gear.Any, IDC: gear.Any, App: gear.Any, Point: gear.Any, Bucket: gear.Any})
	for k, n := range s.List(f["set"], at+".set", MaxSets) {
		x.Sets = append(x.Sets, readSet(s, n, fmt.Sprintf("%s.set[%d]", at, k), scope))
	}
	return x
}

var scopeFields = []string{"scene", "idc", "app", "point", "bucket"}

func readScope(s *template.Strict, f map[string]template.Part, at string, scope control.Scope) control.Scope {
	for i, into := range []*string{&scope.Scene, &scope.IDC, &scope.App, &scope.Point, &scope.Bucket} {
		if n := f[scopeFields[i]]; n.Given() {
			*into = s.Text(n, at+"."+scopeFields[i])
		}
	}
	return scope
}

func readSet(s *template.Strict, n template.Part, at string, scope control.Scope) Set {
	f := s.Fields(n, at, append([]string{"level", "strategy", "available_rt", "timeout", "target_rt", "budget", "template", "version"}, scopeFields...)...)
	value := func(k string, kind gear.Kind, lo, hi gear.Value) gear.Value {
		return s.Value(f[k], at+"."+k, gear.Param{Name: k, Kind: kind, Min: lo, Max: hi})
	}
	length := func(k string) time.Duration {
		return value(k, gear.KindDuration, gear.Duration(control.MinSetpoint), gear.Duration(control.MaxSetpoint)).Duration()
	}
	return Set{
		Scope: readScope(s, f, at, scope),
		Level: int(value("level", gear.KindInt, gear.Int(1), gear.Int(template.MaxLevels)).Int()), Strategy: gear.Strategy(s.Text(f["strategy"], at+".strategy")),
		AvailableRT: length("available_rt"), Timeout: length("timeout"), Target: length("target_rt"),
		Budget:   value("budget", gear.KindFloat, gear.Float(0), gear.Value{}).Float(),
		Template: s.Text(f["template"], at+".template"), Version: int(value("version", gear.KindInt, gear.Int(1), gear.Int(1_000_000)).Int()),
	}
}

// The document as it is written. Read is stricter than these tags.
type document struct {
	Name     string         `json:"name" yaml:"name"`
	Zone     string         `json:"zone" yaml:"zone"`
	Owner    string         `json:"owner" yaml:"owner"`
	Executor string         `json:"executor" yaml:"executor"`
	Approver string         `json:"approver,omitempty" yaml:"approver,omitempty"`
	Purpose  string         `json:"purpose,omitempty" yaml:"purpose,omitempty"`
	Repeat   string         `json:"repeat,omitempty" yaml:"repeat,omitempty"`
	Gap      Gap            `json:"gap,omitempty" yaml:"gap,omitempty"`
	Overlap  Overlap        `json:"overlap,omitempty" yaml:"overlap,omitempty"`
	Steps    []documentStep `json:"steps" yaml:"steps"`
}

type documentStep struct {
	Name         string        `json:"name" yaml:"name"`
	Do           Kind          `json:"do,omitempty" yaml:"do,omitempty"`
	At           string        `json:"at,omitempty" yaml:"at,omitempty"`
	Overlap      Overlap       `json:"overlap,omitempty" yaml:"overlap,omitempty"`
	After        string        `json:"after,omitempty" yaml:"after,omitempty"`
	Offset       string        `json:"offset,omitempty" yaml:"offset,omitempty"`
	Until        string        `json:"until,omitempty" yaml:"until,omitempty"`
	UntilAt      string        `json:"until_at,omitempty" yaml:"until_at,omitempty"`
	UntilOverlap Overlap       `json:"until_overlap,omitempty" yaml:"until_overlap,omitempty"`
	For          string        `json:"for,omitempty" yaml:"for,omitempty"`
	Set          []documentSet `json:"set,omitempty" yaml:"set,omitempty"`
}

type documentSet struct {
	Scene       string   `json:"scene,omitempty" yaml:"scene,omitempty"`
	IDC         string   `json:"idc,omitempty" yaml:"idc,omitempty"`
	App         string   `json:"app,omitempty" yaml:"app,omitempty"`
	Point       string   `json:"point,omitempty" yaml:"point,omitempty"`
	Bucket      string   `json:"bucket,omitempty" yaml:"bucket,omitempty"`
	Template    string   `json:"template,omitempty" yaml:"template,omitempty"`
	Version     int      `json:"version,omitempty" yaml:"version,omitempty"`
	Level       int      `json:"level,omitempty" yaml:"level,omitempty"`
	Strategy    string   `json:"strategy,omitempty" yaml:"strategy,omitempty"`
	AvailableRT string   `json:"available_rt,omitempty" yaml:"available_rt,omitempty"`
	Timeout     string   `json:"timeout,omitempty" yaml:"timeout,omitempty"`
	TargetRT    string   `json:"target_rt,omitempty" yaml:"target_rt,omitempty"`
	Budget      *float64 `json:"budget,omitempty" yaml:"budget,omitempty"`
}

// Write writes the document; Read reads the very same plan back.
func Write(p *Plan, format template.Format) ([]byte, error) {
	length := func(d time.Duration) string {
		if d == 0 {
			return ""
		}
		return gear.Duration(d).Format()
	}
	name := func(s string) string {
		if wide(s) {
			return ""
		}
		return s
	}
	d := document{
		Name: p.Name, Zone: p.Zone, Owner: p.Owner, Executor: p.Executor, Approver: p.Approver, Purpose: p.Purpose,
		Repeat: p.Repeat, Gap: p.Gap, Overlap: p.Overlap, Steps: []documentStep{},
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		x := documentStep{
			Name: s.Name, Do: s.Do, At: s.At, Overlap: s.Overlap, After: s.After, Offset: length(s.Offset),
			Until: s.Until, UntilAt: s.UntilAt, UntilOverlap: s.UntilOverlap, For: length(s.For),
		}
		if x.Do == KindSet {
			x.Do = ""
		}
		for _, v := range s.Sets {
			w := documentSet{
				Scene: name(v.Scope.Scene), IDC: name(v.Scope.IDC), App: name(v.Scope.App), Point: name(v.Scope.Point), Bucket: name(v.Scope.Bucket),
				Template: v.Template, Version: v.Version, Level: v.Level, Strategy: string(v.Strategy),
				AvailableRT: length(v.AvailableRT), Timeout: length(v.Timeout), TargetRT: length(v.Target),
			}
			if v.Budget != 0 {
				w.Budget = &v.Budget
			}
			x.Set = append(x.Set, w)
		}
		d.Steps = append(d.Steps, x)
	}
	if format == template.JSON {
		out, err := json.MarshalIndent(d, "", "  ")
		return append(out, '\n'), err
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(d); err != nil {
		return nil, err
	}
	return b.Bytes(), enc.Close()
}
