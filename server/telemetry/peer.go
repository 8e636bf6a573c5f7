package telemetry

import (
	"time"
)

const (
	// peerLag is how much later seconds are read while other replicas are heard: one
	// that is complete is told within a turn and heard within the next, and a figure
	// of half the machines would look like half the traffic.
	peerLag = 3
	// detailEvery is how often shares of single agents are told.
	detailEvery = 5 * time.Second
	// detailStale is how long they count.
	detailStale = 2*detailEvery + 2*time.Second
	// crowdAgents is up to how many agents of a series are told with their own crowds;
	// of more only the sum.
	crowdAgents = 100
)

// peerWindow is what another replica told of an app.
type peerWindow struct {
	heard  time.Time // of its last part
	series map[Key]*seconds
	shares map[Key][]AgentPoint
	crowds map[Key][]AgentCrowds
	detail time.Time // when shares and crowds came
}

// elsewhere appends what other replicas heard of a series; shared says that some
// replica tells of this app now.
func (a *appWindow) elsewhere(parts []*seconds, k Key, now time.Time) (_ []*seconds, shared bool) {
	for _, p := range a.peers {
		if now.Sub(p.heard) > StaleAfter {
			continue
		}
		shared = true
		if s := p.series[k]; s != nil {
			parts = append(parts, s)
		}
	}
	return parts, shared
}

// onlyElsewhere gives the series that no agent of this replica reports.
func (a *appWindow) onlyElsewhere() map[Key]bool {
	out := map[Key]bool{}
	for _, p := range a.peers {
		for k := range p.series {
			if a.series[k] == nil {
				out[k] = true
			}
		}
	}
	return out
}

func (a *appWindow) sharesElsewhere(k Key, now time.Time) (out []AgentPoint) {
	for _, p := range a.peers {
		if now.Sub(p.detail) <= detailStale {
			out = append(out, p.shares[k]...)
		}
	}
	return out
}

func (a *appWindow) crowdsElsewhere(k Key, now time.Time) (out []AgentCrowds) {
	for _, p := range a.peers {
		if now.Sub(p.detail) <= detailStale {
			out = append(out, p.crowds[k]...)
		}
	}
	return out
}

func (a *appWindow) forgetPeers(now time.Time) {
	for name, p := range a.peers {
		for k, s := range p.series {
			if now.Sub(s.heard) > ForgetAfter {
				delete(p.series, k)
			}
		}
		if now.Sub(p.heard) > ForgetAfter {
			delete(a.peers, name)
		}
	}
}

func (a *appWindow) peer(name string) *peerWindow {
	p := a.peers[name]
	if p == nil {
		p = &peerWindow{series: map[Key]*seconds{}}
		a.peers[name] = p
	}
	return p
}

// put notes a second that another replica heard.
func (s *seconds) put(second int64, t *tally, sum []byte, heard time.Time) {
	if second < 0 {
		return
	}
	if heard.Sub(s.heard) > StaleAfter {
		s.first = second
	}
	sl := &s.slots[second%ring]
	if sl.second > second {
		return
	}
	sl.second, sl.tally, sl.sum = second, *t, append(sl.sum[:0], sum...)
	s.heard = heard
}
