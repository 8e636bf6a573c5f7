package trace

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/allspark/allspark/proto/gear"
)

const (
	// Header carries a Trace, over HTTP. Metadata of gRPC has it in lower case.
	Header = "X-Allspark-Trace"

	version   = "1"
	notTraced = "-"

	// maxDone bounds how many points and calls a request is followed through: figures
	// of engines have about thirty.
	maxDone   = 64
	maxHeader = 8 << 10
)

// Trace is what one request has passed so far within one call. All methods may be
// called by several goroutines at once.
type Trace struct {
	mu      sync.Mutex
	decided bool // whether it is followed, by the first point it meets
	follows bool
	scene   string
	in      string   // external edge through which the call came, "" from outside
	done    []string // app/point of what is over
}

// place is where in a request a context is.
type place struct {
	trace *Trace
	span  *Span // that is open; nil outside
}

type key struct{}

func from(ctx context.Context) place {
	p, _ := ctx.Value(key{}).(place)
	return p
}

// Arrived begins to follow a request at the door of the process, with the header
// that came with it; "" for a request from outside.
func Arrived(ctx context.Context, header string) context.Context {
	return context.WithValue(ctx, key{}, place{trace: parse(header)})
}

func parse(header string) *Trace {
	t := &Trace{}
	if header == "" {
		return t
	}
	t.decided = true
	f := strings.Split(header, ";")
	if len(header) > maxHeader || len(f) != 4 || f[0] != version || f[1] != gear.Any && !gear.PlaceName(f[1]) || f[2] != "" && !isPlace(f[2]) {
		return t
	}
	done, ok := places(f[3])
	if !ok {
		return t
	}
	t.scene, t.in, t.done, t.follows = f[1], f[2], done, true
	return t
}

// isPlace tells app/point from what is none.
func isPlace(s string) bool {
	app, point, ok := strings.Cut(s, "/")
	return ok && gear.PlaceName(app) && gear.PlaceName(point)
}

func places(list string) ([]string, bool) {
	if list == "" {
		return nil, true
	}
	out := strings.Split(list, ",")
	if len(out) > maxDone || slices.ContainsFunc(out, func(s string) bool { return !isPlace(s) }) {
		return nil, false
	}
	return out, true
}

// Outgoing is the header of a call that is about to be made in ctx; "" when none
// need be sent.
func Outgoing(ctx context.Context) string {
	p := from(ctx)
	if p.trace == nil {
		return ""
	}
	t := p.trace
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case !t.decided:
		return ""
	case !t.follows:
		return notTraced
	}
	if p.span != nil && p.span.external {
		return strings.Join([]string{version, t.scene, p.span.at, ""}, ";")
	}
	if p.span != nil {
		p.span.spans.Store(true)
	}
	return strings.Join([]string{version, t.scene, t.in, strings.Join(t.done, ",")}, ";")
}

// Reply is the header of the answer to the request of ctx; "" when none need be
// sent.
func Reply(ctx context.Context) string {
	t := from(ctx).trace
	if t == nil {
		return ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.follows || len(t.done) == 0 {
		return ""
	}
	return strings.Join([]string{version, t.scene, t.in, strings.Join(t.done, ",")}, ";")
}

// Returned takes the header of the answer to a call that was made in ctx.
func Returned(ctx context.Context, header string) {
	p := from(ctx)
	if header == "" || p.trace == nil || p.span != nil && p.span.external {
		return
	}
	answer := parse(header)
	p.trace.mu.Lock()
	defer p.trace.mu.Unlock()
	if p.trace.follows && answer.follows && answer.scene == p.trace.scene && answer.in == p.trace.in {
		for _, at := range answer.done {
			p.trace.over(at)
		}
	}
}

// over notes that a point or call has ended. t.mu is held.
func (t *Trace) over(at string) {
	if len(t.done) < maxDone && !slices.Contains(t.done, at) {
		t.done = append(t.done, at)
	}
}
