package lab

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/allspark/allspark/server/alert"
)

// Faults must be raised within this time under their name.
const caughtWithin = 30 * time.Second

// Caught is how one injected fault was found.
type Caught struct {
	Trace string
	Fault Fault
	Load  float64 // of the engine when it struck, beside the nominal one
	Seed  uint64
	After time.Duration // until the alert of the right name; 0 when there was none within 30 s
	Wrong []alert.Kind  // raised in these 30 s under other names
	First bool          // the right name came first
}

// InjectFault plays one fault: four to five minutes of calm at a load drawn from
// the seed, then the fault.
func InjectFault(trace string, f Fault, rules alert.Rules, seed uint64) Caught {
	c := Caught{Trace: trace, Fault: f, Seed: seed, Load: 0.6 + 0.8*unit(Seed(seed, "fault", "load"))}
	w := watched(Scenario{Name: "fault", Trace: trace, Machines: watchedMachines, Load: flat(c.Load), Peak: 1}, rules, seed)
	at := 240 + int(60*unit(Seed(seed, "fault", "at")))
	for range at {
		w.second(c.Load)
	}
	w.raised = nil
	w.strike(f)
	struck := time.Duration(w.engine.Now())
	for range int(caughtWithin / time.Second) {
		w.second(c.Load)
	}
	for i, r := range w.raised {
		switch after := r.At - struck; {
		case r.Alert.Kind == f.Kind && c.After == 0:
			c.After, c.First = after, i == 0
		case r.Alert.Kind != f.Kind && !slices.Contains(c.Wrong, r.Alert.Kind):
			c.Wrong = append(c.Wrong, r.Alert.Kind)
		}
	}
	return c
}

// CalmDays names the days without faults.
func CalmDays() []string { return []string{"two-peaks conv", "two-peaks code", "midnight conv"} }

// Calm is a day without faults: what was raised is false.
type Calm struct {
	Day    string
	Seed   uint64
	Hours  float64
	Raised []Raised
}

// calmPart is the longest part of a day that is played by itself: parts run side
// by side, each after five minutes at its first load that are not judged.
const (
	calmPart = 2 * time.Hour
	calmWarm = 5 * time.Minute
)

// CalmDay plays part of a day, from and to since its beginning: the curve of two
// peaks, 0.6 to 2 times nominal, and on the midnight day a step to 4 times at its
// middle that falls off within the hour. Three builds come in a day that are as
// good as the ones before.
func CalmDay(ctx context.Context, day string, rules alert.Rules, from, to time.Duration, seed uint64) ([]Raised, error) {
	shape, trace, _ := strings.Cut(day, " ")
	load := func(at time.Duration) float64 {
		l := twoPeaks(900 * at.Hours() / 24)
		if since := at - 12*time.Hour; shape == "midnight" && since >= 0 {
			l = max(l, midnightLoad(since.Seconds()))
		}
		return l
	}
	w := watched(Scenario{Name: "calm", Trace: trace, Machines: watchedMachines, Load: func(float64) float64 { return load(from) }, Peak: 2}, rules, seed)
	for at := from - calmWarm; at < to; at += time.Second {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if at == from {
			w.raised = nil
		}
		for n, hour := range []float64{4.5, 13.5, 20.5} {
			if at == time.Duration(hour*float64(time.Hour)) {
				w.release(fmt.Sprintf("build-%d", n+2))
			}
		}
		w.second(load(max(at, from)))
	}
	for i := range w.raised {
		w.raised[i].At += from - calmWarm
	}
	return w.raised, nil
}

// midnightLoad is the step at midnight and how it falls off, by seconds.
func midnightLoad(since float64) float64 {
	if since < 0 {
		return 0
	}
	return 4 - 3*min(since/3600, 1)
}

// Alerts is the experiment of RESULTS-alerts.md.
type Alerts struct {
	Rules    alert.Rules
	Seeds    int     // runs of every fault; a day is played once a seed
	Offset   uint64  // seeds begin after it
	Hours    float64 // of a day
	Workers  int
	Skip     string // "faults" or "days"
	Progress func(done, total int, what string)
}

// AlertResults is what it found.
type AlertResults struct {
	Caught []Caught
	Calm   []Calm
}

// Run plays every fault on both traces, and the calm days.
func (x *Alerts) Run(ctx context.Context) (*AlertResults, error) {
	var out AlertResults
	var jobs []func()
	tell := &teller{to: x.Progress}
	if x.Skip != "faults" {
		for seed := range x.Seeds {
			for _, trace := range []string{"conv", "code"} {
				for k, kind := range FaultKinds() {
					for i, size := range FaultSizes() {
						at := len(out.Caught)
						out.Caught = append(out.Caught, Caught{})
						f := Fault{Kind: kind, Size: size, Other: i%2 == 1}
						n := x.Offset + uint64((seed*4+k)*100+i+1)
						jobs = append(jobs, func() {
							out.Caught[at] = InjectFault(trace, f, x.Rules, n)
							tell.did("faults")
						})
					}
				}
			}
		}
	}
	if x.Skip != "days" {
		for seed := range x.Seeds {
			for _, day := range CalmDays() {
				at, n, end := len(out.Calm), x.Offset+uint64(seed+1), time.Duration(x.Hours*float64(time.Hour))
				out.Calm = append(out.Calm, Calm{Day: day, Seed: n, Hours: x.Hours})
				// Parts begin at odd hours: midnight lies within one.
				for from := time.Duration(0); from < end; {
					to := min(from+calmPart, end)
					if from == 0 {
						to = min(calmPart/2, end)
					}
					begin := from
					jobs = append(jobs, func() {
						raised, _ := CalmDay(ctx, day, x.Rules, begin, to, n) // a cancelled run is reported by parallel
						tell.mu.Lock()
						out.Calm[at].Raised = append(out.Calm[at].Raised, raised...)
						tell.mu.Unlock()
						tell.did(fmt.Sprintf("%s %v: %d raised", day, begin, len(raised)))
					})
					from = to
				}
			}
		}
	}
	tell.total = len(jobs)
	if err := parallel(ctx, x.Workers, jobs); err != nil {
		return nil, err
	}
	for i := range out.Calm {
		slices.SortFunc(out.Calm[i].Raised, func(a, b Raised) int { return cmp.Compare(a.At, b.At) })
	}
	return &out, nil
}
