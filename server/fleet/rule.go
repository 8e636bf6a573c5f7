package fleet

import (
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/allspark/allspark/proto/gear"
)

// maxText bounds build, SDK, address and capability texts.
const maxText = 128

// stateOf is the rule for presence at now of an agent that is served here.
func stateOf(a *Agent, now time.Time, staleAfter time.Duration) State {
	switch {
	case a.Session == "":
		return StateDisconnected
	case now.Sub(later(a.LastReportAt, a.ConnectedAt)) > staleAfter:
		return StateStale
	default:
		return StateConnected
	}
}

// stateElsewhere is the rule for an agent that another replica serves: what that one
// says counts while it is heard.
func stateElsewhere(a *Agent, p peer) State {
	switch {
	case a.Session == "":
		return StateDisconnected
	case !p.alive || a.Quiet:
		return StateStale
	default:
		return StateConnected
	}
}

// goneAfter is how long after a replica's last beat its agents count as disconnected:
// those that live have found another by then.
const goneAfter = time.Minute

// newer is the rule for two accounts of one agent: the later session counts, and of
// one session what its home says.
func newer(told, known *Agent, by string) bool {
	return told.Epoch > known.Epoch || told.Epoch == known.Epoch && known.Home == by
}

// sameRow tells that two sessions of an agent make the same row but for when.
func sameRow(a, b *Agent) bool {
	return a.App == b.App && a.IDC == b.IDC && a.Host == b.Host && a.Build == b.Build && a.SDK == b.SDK &&
		sameStart(a.StartedAt, b.StartedAt) && a.LastAck.Refused == b.LastAck.Refused && slices.Equal(a.Capabilities, b.Capabilities) &&
		slices.EqualFunc(a.Points, b.Points, func(x, y gear.PointDecl) bool {
			return x.Name == y.Name && x.External == y.External && sameParams(x.Params, y.Params)
		})
}

// expired is the rule for ageing out: gone for longer than ageOut. Who is banned is
// kept, because forgetting a ban would lift it.
func expired(a *Agent, now time.Time, ageOut time.Duration) bool {
	return a.Session == "" && now.Sub(a.SeenAt) > ageOut
}

// sameProcess tells a returning process from another one with the same id. What was
// stored, or told by another replica, has whole microseconds.
func sameProcess(a *Agent, h *gear.Hello) bool {
	return a.App == h.App && a.IDC == h.IDC && a.Host == h.Host && sameStart(a.StartedAt, h.StartedAt)
}

func sameStart(a, b time.Time) bool { return a.UnixMicro() == b.UnixMicro() }

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// checkHello says everything that is wrong with the names of a hello.
func checkHello(h *gear.Hello) gear.Problems {
	var ps gear.Problems
	bad := func(path, code, format string, args ...any) {
		ps = append(ps, gear.Problem{Path: path, Code: code, Message: fmt.Sprintf(format, args...)})
	}
	place := func(path, s string) {
		if s == "" {
			bad(path, "required", "%s is required", path)
		} else if !gear.PlaceName(s) {
			bad(path, "name", "%s wants letters, digits, '.', '_' and '-', at most %d, got %q", path, gear.MaxName, gear.Shown(s))
		}
	}
	text := func(path, s string) {
		if len(s) > maxText || !inert(s) {
			bad(path, "name", "%s wants at most %d plain characters, got %q", path, maxText, gear.Shown(s))
		}
	}
	place("app", h.App)
	place("idc", h.IDC)
	place("instance", h.Instance)
	if h.Host != "" {
		place("host", h.Host)
	}
	text("build", h.Build)
	text("sdk", h.SDK)
	for i, c := range h.Capabilities {
		text(fmt.Sprintf("capabilities[%d]", i), c)
	}
	seen := make(map[string]bool, len(h.Points))
	for i, p := range h.Points {
		path := fmt.Sprintf("points[%d].name", i)
		if place(path, p.Name); seen[p.Name] {
			bad(path, "duplicate", "point %s is declared twice", gear.Shown(p.Name))
		}
		seen[p.Name] = true
		params := make(map[string]bool, len(p.Params))
		for k, q := range p.Params {
			path := fmt.Sprintf("points[%d].params[%d].name", i, k)
			if !gear.ParamName(q.Name) {
				bad(path, "name", "a parameter's name wants a-z, 0-9 and '_', got %q", gear.Shown(q.Name))
			} else if params[q.Name] {
				bad(path, "duplicate", "parameter %s is declared twice", q.Name)
			}
			params[q.Name] = true
			text(fmt.Sprintf("points[%d].params[%d].unit", i, k), q.Unit)
		}
		if len(ps) > 20 {
			return ps
		}
	}
	return ps
}

func inert(s string) bool {
	for _, r := range s {
		if r == utf8.RuneError || gear.Inert(r) != r {
			return false
		}
	}
	return true
}
