package telemetry

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/sketch"
)

// edgeSpread is how far apart crowds' edges of different machines may be to count
// as one crowd: machines fit their own predictors, and crowds of one machine are
// 1.5 apart.
const edgeSpread = 1.25

// Crowd is a crowd of a series over all machines, or of one.
type Crowd struct {
	Edge          time.Duration // lower edge of predicted RT at the reference level
	Count         int64
	Mean          time.Duration // RT; 0 while Count is 0
	Work          float64
	Level         float64
	Bounded       string // "", "top" or "unreachable": of most of its requests
	Downgraded    int64
	Needless      float64 // estimated number of the downgraded
	NeedlessError float64 // its standard error
	Reason        string  // of the machine with most of its requests
	Machines      int
}

// AgentCrowds are one agent's crowds.
type AgentCrowds struct {
	Source
	AvailableRT time.Duration
	FitResidual float64
	Crowds      []Crowd

	machines int // that were added up; 0 for one
}

// Crowds is what the crowd loops of a series did in the last ten seconds.
type Crowds struct {
	Key
	At     time.Time
	Window time.Duration
	Count  int64
	Mean   time.Duration
	// RT is the distribution of response times, merged over machines.
	RT          []sketch.Bin
	AvailableRT time.Duration // 0 where no crowd loop runs
	FitResidual float64       // mean over machines
	Crowds      []Crowd       // by edge
	Agents      []AgentCrowds // by instance
}

// Crowds gives the RT distribution and the crowds of a series over the last ten
// seconds; false when nothing was heard of it.
func (w *Windows) Crowds(k Key, now time.Time) (Crowds, bool) {
	a := w.app(k.App, false)
	if a == nil {
		return Crowds{}, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	p := a.read(k, a.series[k], now)
	if now.Sub(p.LastHeard) > ForgetAfter {
		return Crowds{}, false
	}
	out := Crowds{Key: k}
	if p.Recent != nil {
		// read left the ten seconds' sum in scratch.
		out.At, out.Window, out.Count, out.Mean = p.Recent.At, p.Recent.Window, p.Recent.Count, p.Recent.Mean
		out.RT = slices.Collect(a.scratch.Bins())
	}
	all := append(a.crowdsHere(k, now), a.crowdsElsewhere(k, now)...)
	machines := 0
	for i := range all {
		x := &all[i]
		out.AvailableRT = max(out.AvailableRT, x.AvailableRT)
		out.FitResidual += x.FitResidual * float64(max(1, x.machines))
		machines += max(1, x.machines)
		if x.Instance != "" { // the rest are many of another replica, added up
			out.Agents = append(out.Agents, *x)
		}
	}
	out.FitResidual /= float64(max(1, machines))
	slices.SortFunc(out.Agents, func(a, b AgentCrowds) int { return cmp.Compare(a.Instance, b.Instance) })
	out.Crowds = mergeCrowds(all)
	return out, true
}

// crowdsHere gives the crowds of the agents that report to this replica.
func (a *appWindow) crowdsHere(k Key, now time.Time) (out []AgentCrowds) {
	for src, g := range a.agents {
		if src.IDC != k.IDC || now.Sub(g.heard()) > StaleAfter {
			continue
		}
		if x, ok := g.crowds(k, now); ok {
			x.Source = src
			out = append(out, x)
		}
	}
	return out
}

// crowds adds up an agent's reports of the last ten seconds; edges, work and
// levels are those of the newest.
func (g *agent) crowds(k Key, now time.Time) (out AgentCrowds, ok bool) {
	var byIndex []crowdSum
	for i := range g.reports {
		x := &g.reports[(g.next+i)%recentSeconds] // oldest first
		if x.r == nil || now.Sub(x.at) > recentSeconds*time.Second {
			continue
		}
		for j := range x.r.Points {
			p := &x.r.Points[j]
			if p.Scene != k.Scene || p.Point != k.Point || len(p.Crowds) == 0 || !sane(p) {
				continue
			}
			if len(byIndex) != len(p.Crowds) { // crowds were formed anew: what was counted before is of others
				byIndex = make([]crowdSum, len(p.Crowds))
			}
			ok = true
			out.AvailableRT, out.FitResidual = p.AvailableRT, p.FitResidual
			for c := range p.Crowds {
				byIndex[c].report(&p.Crowds[c])
			}
		}
	}
	for i := range byIndex {
		out.Crowds = append(out.Crowds, byIndex[i].crowd())
	}
	return out, ok
}

// crowdSum adds up reports of one crowd of one agent.
type crowdSum struct {
	last     gear.CrowdReport
	count    int64
	sum      time.Duration
	down     int64
	needless float64
	spread   float64 // error of needless: estimates of one fit err together
	reason   string
}

func (s *crowdSum) report(r *gear.CrowdReport) {
	s.last = *r
	s.count += r.Count
	s.sum += r.RTSum
	s.down += r.Downgraded
	s.needless += float64(r.Downgraded) * r.Needless
	s.spread += float64(r.Downgraded) * r.NeedlessError
	if r.Reason != "" {
		s.reason = r.Reason
	}
}

func (s *crowdSum) crowd() Crowd {
	c := Crowd{
		Edge: s.last.Edge, Count: s.count, Work: s.last.Work, Level: float64(s.last.Level), Bounded: s.last.Bounded,
		Downgraded: s.down, Needless: s.needless, NeedlessError: s.spread, Reason: s.reason, Machines: 1,
	}
	if s.count > 0 {
		c.Mean = s.sum / time.Duration(s.count)
	}
	return c
}

// mergeCrowds joins the crowds of agents whose edges lie within edgeSpread of the
// lightest of a group. Means are weighted by requests, the edge geometrically;
// errors of different machines are independent.
func mergeCrowds(agents []AgentCrowds) []Crowd {
	var all []*Crowd
	for i := range agents {
		for j := range agents[i].Crowds {
			all = append(all, &agents[i].Crowds[j])
		}
	}
	slices.SortStableFunc(all, func(a, b *Crowd) int { return cmp.Compare(a.Edge, b.Edge) })
	var out []Crowd
	for i := 0; i < len(all); {
		n := i + 1
		for n < len(all) && float64(all[n].Edge) <= edgeSpread*float64(all[i].Edge) {
			n++
		}
		out = append(out, mergeCrowd(all[i:n]))
		i = n
	}
	return out
}

func mergeCrowd(in []*Crowd) Crowd {
	var c Crowd
	var sum time.Duration
	var work, level, lnEdge, weight, variance float64
	bounds := map[string]int64{}
	most := int64(-1)
	for _, x := range in {
		w := float64(max(x.Count, 1))
		c.Count += x.Count
		sum += x.Mean * time.Duration(x.Count)
		c.Downgraded += x.Downgraded
		c.Needless += x.Needless
		variance += x.NeedlessError * x.NeedlessError
		c.Machines += x.Machines
		work, level, weight = work+w*x.Work, level+w*x.Level, weight+w
		if x.Edge > 0 {
			lnEdge += w * math.Log(float64(x.Edge))
		}
		bounds[x.Bounded] += max(x.Count, 1)
		if x.Count > most && x.Reason != "" {
			most, c.Reason = x.Count, x.Reason
		}
	}
	c.Work, c.Level, c.NeedlessError = work/weight, level/weight, math.Sqrt(variance)
	if in[0].Edge > 0 {
		c.Edge = time.Duration(math.Exp(lnEdge / weight)).Round(time.Microsecond)
	}
	if c.Count > 0 {
		c.Mean = sum / time.Duration(c.Count)
	}
	for _, b := range []string{"", "top", "unreachable"} {
		if bounds[b] > bounds[c.Bounded] {
			c.Bounded = b
		}
	}
	return c
}
