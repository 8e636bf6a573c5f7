package demo

import (
	"math"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/sketch"
	"github.com/allspark/allspark/server/lab"
	"github.com/allspark/allspark/server/profile"
	"github.com/allspark/allspark/server/template"
)

// Of the runs that profiles are learnt from.
const (
	// probeFor is model time a run: at 220 requests a second a scene's heaviest
	// class gets about 300 visits at each point.
	probeFor    = 20 * time.Second
	probeWarm   = 4 * time.Second
	probeEvents = 4 << 20 // a run has about half a million
)

// probes are the shares of each table's levels that are run at. All points turn
// together, so that each level's RT is measured on machines as busy as they are when
// the rest of the engine works as hard: that is how allocation uses them.
var probes = [...]float64{0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}

// crowded is the share beyond which the sample engine has more work than cores.
// Higher levels are measured at fewer requests, on machines as busy as there:
// allocation never turns everything up at once.
const crowded = 0.8

// busiest is how much CPU a request takes on the app that is short of it first, at
// a share of all levels, by its number of cores.
func (p *probe) busiest(share float64) float64 {
	most := 0.0
	for a := range p.model.Apps {
		sum := 0.0
		for i := range p.model.Points {
			pt := &p.model.Points[i]
			if pt.App != a || p.tables[i] == nil {
				continue
			}
			n := float64(len(p.tables[i].Rows))
			sum += p.work(i, min(max(int(math.Round(share*n)), 1), int(n)), 1)
		}
		most = max(most, sum/float64(p.model.Apps[a].Cores))
	}
	return most
}

// work is the CPU of a visit at a level, core-ms.
func (p *probe) work(point, level int, load float64) float64 {
	pt := &p.model.Points[point]
	var r lab.Reading
	p.read(point, level, &r)
	amount, factor := r[0], 1.0
	if len(pt.Factor) > 0 {
		factor = pt.Factor[min(max(int(r[1]), 0), len(pt.Factor)-1)]
	}
	if pt.Multiply > 0 {
		amount *= usual / pt.Multiply
	}
	return ms(pt.Fixed) + load*(ms(pt.PerLoad)+ms(pt.Slope)*amount*factor)
}

// usual is how many results come to the point whose work they multiply.
const usual = 150

// classes of load, by the relative load below which a request is in them.
var classes = [...]struct {
	name  string
	below float64
}{{"light", 0.5}, {"middle", 1.5}, {"heavy", math.Inf(1)}}

// probe is lab.Controls that runs every point at one share of its levels and notes
// what the visits took.
type probe struct {
	model  *lab.Model
	tables []*gear.LevelTable // by point; nil without levels
	params [][]int            // by point: the table's column of each parameter
	share  float64
	from   int64
	mean   float64 // load
	seen   map[cell]*sketch.Sum
}

type cell struct {
	scene, point, class int
}

func (p *probe) level(point int) int {
	n := len(p.tables[point].Rows)
	return min(max(int(math.Round(p.share*float64(n))), 1), n)
}

// Begin reads a level's values as an agent would hand them out.
func (p *probe) Begin(v *lab.Visit, r *lab.Reading) {
	if p.tables[v.Point] != nil {
		p.read(int(v.Point), p.level(int(v.Point)), r)
	}
}

func (p *probe) read(point, level int, r *lab.Reading) {
	row := p.tables[point].Rows[level-1]
	for i, column := range p.params[point] {
		d, v := &p.model.Points[point].Params[i], row[column]
		if n, ok := v.Number(); ok {
			r[i] = n
			continue
		}
		for k, s := range d.Values {
			if s == v.Str() {
				r[i] = float64(k)
			}
		}
	}
}

// End notes a visit.
func (p *probe) End(v *lab.Visit, res lab.Result) {
	if v.Now < p.from || res.Outcome != lab.OK || p.tables[v.Point] == nil {
		return
	}
	class := 0
	for v.Load/p.mean >= classes[class].below {
		class++
	}
	k := cell{int(v.Scene), int(v.Point), class}
	if p.seen[k] == nil {
		p.seen[k] = &sketch.Sum{}
	}
	p.seen[k].Record(uint64(max(res.Elapsed, 0)/1000), 1)
}

// Profiles measures, in virtual time on the lab's model, what each level of the
// sample engine costs in each scene, and takes from the model what it earns: two
// seconds of work that stand for days of reports. at is when they count as measured.
func Profiles(cfg Config, at time.Time) ([]*profile.Profile, error) {
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	m := lab.Standard(cfg.Machines)
	p := &probe{model: m, tables: make([]*gear.LevelTable, len(m.Points)), params: make([][]int, len(m.Points)), mean: cfg.Trace.MeanLoad}
	bound := map[string]*template.Document{}
	for _, d := range Templates() {
		bound[d.Name] = d
	}
	for _, b := range Bindings() {
		i := m.Point(b.Selector.App, b.Selector.Point)
		if i < 0 || m.Points[i].External {
			continue
		}
		t, err := template.Expand(&bound[b.Template].Spec)
		if err != nil {
			return nil, err
		}
		p.tables[i] = t
		for k := range m.Points[i].Params {
			for c := range t.Params {
				if t.Params[c].Name == m.Points[i].Params[k].Name {
					p.params[i] = append(p.params[i], c)
				}
			}
		}
	}
	learner := profile.NewLearner()
	rate := cfg.Rate
	if rate <= 0 {
		rate = DefaultRate
	}
	for n, share := range probes {
		p.share, p.from, p.seen = share, int64(probeWarm), map[cell]*sketch.Sum{}
		rate := int(float64(rate) * min(1, p.busiest(crowded)/p.busiest(share)))
		e := lab.NewEngine(lab.Config{
			Model: m, Controls: p,
			Workload: lab.WorkloadConfig{Trace: cfg.Trace, Rate: rate, Speed: cfg.Speed, Seed: cfg.Seed + uint64(n)},
		})
		e.Run(int64(probeWarm+probeFor), probeEvents)
		for k, rt := range p.seen {
			learner.Observe(profile.Observation{
				Key: p.key(k), Class: classes[k.class].name, Level: p.level(k.point), Of: len(p.tables[k.point].Rows),
				Count: int64(rt.Count()), RT: rt.AppendTo(nil), At: at,
			})
		}
	}
	var out []*profile.Profile
	for _, k := range learner.Keys() {
		x, ok := learner.Profile(k, nil)
		if !ok {
			continue
		}
		p.worth(m.Point(k.App, k.Point), sceneOf(m, k.Scene), x)
		out = append(out, x)
	}
	return out, nil
}

func (p *probe) key(k cell) profile.Key {
	pt := &p.model.Points[k.point]
	return profile.Key{App: p.model.Apps[pt.App].Name, Point: pt.Name, Scene: p.model.Scenes[k.scene].Name, Table: p.tables[k.point].Hash}
}

func sceneOf(m *lab.Model, name string) *lab.Scene {
	for i := range m.Scenes {
		if m.Scenes[i].Name == name {
			return &m.Scenes[i]
		}
	}
	return &m.Scenes[0]
}

// worth fills in what the model knows exactly: work, effect and results.
func (p *probe) worth(point int, s *lab.Scene, x *profile.Profile) {
	pt := &p.model.Points[point]
	var top float64
	if pt.Weight > 0 {
		top, _ = pt.Params[0].Max.Number()
	}
	for l := range x.Levels {
		var r lab.Reading
		p.read(point, l+1, &r)
		amount, quality := r[0], 1.0
		if len(pt.Factor) > 0 {
			quality = pt.Quality[min(max(int(r[1]), 0), len(pt.Factor)-1)]
		}
		v := &x.Levels[l]
		v.Work = p.work(point, l+1, s.Load)
		v.Effect, v.Output, v.Cap = 0, 0, 0
		if pt.Weight > 0 {
			v.Effect = pt.Weight * quality * (1 - math.Exp(-amount/pt.Scale)) / (1 - math.Exp(-top/pt.Scale))
		}
		if pt.Output > 0 {
			v.Output = amount * pt.Output
		}
		if pt.Above >= 0 && pt.Multiply == 0 {
			v.Cap = amount
		} else if pt.Output > 0 {
			v.Cap = v.Output
		}
	}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
