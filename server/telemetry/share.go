package telemetry

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/sketch"
	"github.com/allspark/allspark/server/replica"
)

// overlap is how many closed seconds a part tells of: a turn may be late.
const overlap = 4

// tellState is what was told of an app.
type tellState struct {
	toldLive   bool
	toldDetail time.Time
}

// The parts of an app: seconds of its series, and shares of its agents.
const (
	livePart   = "live/"
	detailPart = "detail/"
	partFormat = 1
)

// Topic implements replica.Topic.
func (w *Windows) Topic() string { return "windows" }

// Tell implements replica.Topic: of each app the newest closed seconds of its series,
// and every detailEvery the shares of its agents. Seconds of other replicas are
// theirs to tell.
func (w *Windows) Tell(now time.Time, whole bool) (parts []replica.Part) {
	for _, a := range w.all() {
		a.mu.Lock()
		body := a.packLive(now)
		if len(body) > 0 || a.toldLive {
			parts = append(parts, replica.Part{Topic: w.Topic(), Name: livePart + a.name, Body: body})
		}
		a.toldLive = len(body) > 0
		due := now.Sub(a.toldDetail) >= detailEvery || whole
		if due {
			a.toldDetail = now
		}
		a.mu.Unlock()
		if !due {
			continue
		}
		if body := a.packDetail(now); len(body) > 0 {
			parts = append(parts, replica.Part{Topic: w.Topic(), Name: detailPart + a.name, Body: body})
		}
	}
	return parts
}

func (a *appWindow) packLive(now time.Time) []byte {
	var p packer
	n := int64(0)
	end := complete(now)
	for k, s := range a.series {
		a.advance(s, now)
		var slots []*slot
		for second := end - overlap + 1; second <= end; second++ {
			if sl := s.at(second); sl != nil {
				slots = append(slots, sl)
			}
		}
		if len(slots) == 0 {
			continue
		}
		n++
		p.key(k)
		p.int(s.heard.UnixMicro(), int64(len(slots)))
		for _, sl := range slots {
			p.int(sl.second)
			p.tally(&sl.tally)
			p.text(string(sl.sum))
		}
	}
	if n == 0 {
		return nil
	}
	head := packer{partFormat}
	head.int(n)
	return append(head, p...)
}

// details are the shares and crowds of the agents that report to this replica.
type details struct {
	shares map[Key][]AgentPoint
	crowds map[Key][]AgentCrowds
}

// detailBatch is how many agents are looked at while their app's reports wait.
const detailBatch = 64

func (a *appWindow) details(now time.Time) details {
	d := details{shares: map[Key][]AgentPoint{}, crowds: map[Key][]AgentCrowds{}}
	var scratch sketch.Sum
	a.mu.Lock()
	defer a.mu.Unlock()
	sources := slices.Collect(maps.Keys(a.agents))
	for i, src := range sources {
		if i%detailBatch == detailBatch-1 {
			a.mu.Unlock()
			runtime.Gosched()
			a.mu.Lock()
		}
		g := a.agents[src]
		if g == nil || now.Sub(g.heard()) > StaleAfter {
			continue
		}
		for k := range g.keys(src, now) {
			if x, ok := g.share(k, now, &scratch); ok {
				x.Source = src
				d.shares[k] = append(d.shares[k], x)
			}
			if x, ok := g.crowds(k, now); ok {
				x.Source = src
				d.crowds[k] = append(d.crowds[k], x)
			}
		}
	}
	return d
}

// keys gives the series an agent reported in the last ten seconds.
func (g *agent) keys(src Source, now time.Time) map[Key]bool {
	out := map[Key]bool{}
	for i := range g.reports {
		x := &g.reports[i]
		if x.r == nil || now.Sub(x.at) > recentSeconds*time.Second {
			continue
		}
		for j := range x.r.Points {
			out[Key{Scene: x.r.Points[j].Scene, IDC: src.IDC, App: src.App, Point: x.r.Points[j].Point}] = true
		}
	}
	return out
}

func (a *appWindow) packDetail(now time.Time) []byte {
	d := a.details(now)
	if len(d.shares) == 0 {
		return nil
	}
	p := packer{partFormat}
	p.int(int64(len(d.shares)))
	for k, shares := range d.shares {
		p.key(k)
		p.int(int64(len(shares)))
		for i := range shares {
			x := &shares[i]
			p.text(x.Instance)
			p.int(x.Held.Epoch, x.Held.Revision, int64(x.Rung))
			p.rollup(&x.Recent)
		}
		crowds := d.crowds[k]
		if len(crowds) > crowdAgents {
			crowds = []AgentCrowds{addUp(crowds)}
		}
		p.int(int64(len(crowds)))
		for i := range crowds {
			x := &crowds[i]
			p.text(x.Instance)
			p.int(int64(x.machines), us(x.AvailableRT), int64(len(x.Crowds)))
			p.float(x.FitResidual)
			for j := range x.Crowds {
				p.crowd(&x.Crowds[j])
			}
		}
	}
	return p
}

// addUp makes one of many agents' crowds, without a name.
func addUp(in []AgentCrowds) AgentCrowds {
	out := AgentCrowds{Crowds: mergeCrowds(in), machines: len(in)}
	for i := range in {
		out.AvailableRT = max(out.AvailableRT, in[i].AvailableRT)
		out.FitResidual += in[i].FitResidual / float64(len(in))
	}
	return out
}

// Hear implements replica.Topic.
func (w *Windows) Hear(from string, part replica.Part, now time.Time) error {
	app, live := strings.CutPrefix(part.Name, livePart)
	if !live {
		var ok bool
		if app, ok = strings.CutPrefix(part.Name, detailPart); !ok {
			return nil // of a newer build
		}
	}
	if !gear.PlaceName(app) {
		return fmt.Errorf("part %q names no app", gear.Shown(part.Name))
	}
	a := w.app(app, true)
	if a == nil {
		return fmt.Errorf("app %s is beyond the limit", app)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	p := a.peer(from)
	if len(part.Body) == 0 {
		return nil // silent: what it told grows old by itself
	}
	if part.Body[0] != partFormat {
		return errPart
	}
	p.heard = now
	u := &unpacker{p: part.Body[1:]}
	if live {
		p.hearLive(u, app, w.limits.Series)
	} else {
		p.hearDetail(u, app, now)
	}
	return u.err()
}

func (p *peerWindow) hearLive(u *unpacker, app string, limit int) {
	for range u.count() {
		k := u.key(app)
		heard := time.UnixMicro(u.int()).UTC()
		s := p.series[k]
		if s == nil && len(p.series) < limit && !u.bad {
			s = &seconds{}
			p.series[k] = s
		}
		for range u.count() {
			second, t, sum := u.int(), u.tally(), u.bytes()
			if s != nil && !u.bad {
				s.put(second, &t, sum, heard)
			}
		}
	}
}

func (p *peerWindow) hearDetail(u *unpacker, app string, now time.Time) {
	shares, crowds := map[Key][]AgentPoint{}, map[Key][]AgentCrowds{}
	for range u.count() {
		k := u.key(app)
		for range u.count() {
			x := AgentPoint{Source: Source{App: app, IDC: k.IDC, Instance: u.text()}}
			x.Held, x.Rung = gear.Version{Epoch: u.int(), Revision: u.int()}, gear.Rung(u.int())
			x.Recent = u.rollup()
			shares[k] = append(shares[k], x)
		}
		for range u.count() {
			x := AgentCrowds{Source: Source{App: app, IDC: k.IDC, Instance: u.text()}}
			x.machines, x.AvailableRT = int(u.int()), u.us()
			n := u.count()
			x.FitResidual = u.float()
			for range n {
				x.Crowds = append(x.Crowds, u.crowd())
			}
			crowds[k] = append(crowds[k], x)
		}
	}
	if !u.bad {
		p.shares, p.crowds, p.detail = shares, crowds, now
	}
}

// Reset implements replica.Topic. Figures of a replica that began anew are still of
// the last seconds; its agents may report elsewhere now.
func (w *Windows) Reset(from string, _ time.Time) {
	for _, a := range w.all() {
		a.mu.Lock()
		delete(a.peers, from)
		a.mu.Unlock()
	}
}

// Peer implements replica.Topic. Figures grow old by themselves.
func (w *Windows) Peer(string, bool, time.Time, time.Time) {}

var _ replica.Topic = (*Windows)(nil)
