package allocation

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math"
	"time"
)

// Schedule says when a table is built anew.
type Schedule struct {
	Every time.Duration // a table built from other profiles than today's is at most this old
	Least time.Duration // builds are at least this far apart, unless the scene changed
	Drift float64       // relative change of a profile that does not wait for Every
}

// DefaultSchedule: the outermost loop, slower than the RT gear by more than three
// times. 5 % is the margin that feedback works within after a preset.
var DefaultSchedule = Schedule{Every: 10 * time.Minute, Least: time.Minute, Drift: 0.05}

// Standing is what the builder knows of a scene's newest table.
type Standing struct {
	Built        bool
	SceneVersion int64
	InputHash    string
	At           time.Time
	Failed       time.Time // of the newest attempt that failed since; zero for none
}

// Rebuild decides whether to build, and says why or why not. drift is how far
// today's input is from the table's (see Drift).
func (s Schedule) Rebuild(old Standing, sceneVersion int64, inputHash string, drift float64, now time.Time) (build bool, reason string) {
	if !old.Failed.IsZero() && now.Sub(old.Failed) < s.Least {
		return false, fmt.Sprintf("the last build failed %s ago; the next is tried after %s", now.Sub(old.Failed).Round(time.Second), s.Least)
	}
	age := now.Sub(old.At)
	switch {
	case !old.Built:
		return true, "the scene has no table yet"
	case sceneVersion != old.SceneVersion:
		return true, fmt.Sprintf("the scene changed from version %d to %d", old.SceneVersion, sceneVersion)
	case inputHash == old.InputHash:
		return false, "nothing changed since the table was built"
	case age < s.Least:
		return false, fmt.Sprintf("the table is %s old; builds are %s apart", age.Round(time.Second), s.Least)
	case drift > s.Drift:
		return true, fmt.Sprintf("a profile moved by %.1f %%, more than %.1f %%", 100*drift, 100*s.Drift)
	case age >= s.Every:
		return true, fmt.Sprintf("profiles changed and the table is %s old", age.Round(time.Second))
	}
	return false, fmt.Sprintf("profiles moved by %.1f %% only; the next build is in %s", 100*drift, (s.Every - age).Round(time.Second))
}

// Drift is the largest relative change of a level's mean RT or of its share of
// the effect, between two inputs of the same shape; 1 when the shapes differ.
func Drift(a, b *Input) float64 {
	if len(a.Points) != len(b.Points) || len(a.Classes) != len(b.Classes) {
		return 1
	}
	most := 0.0
	for i := range a.Points {
		p, q := &a.Points[i], &b.Points[i]
		if p.Name != q.Name || p.Crowds != q.Crowds || len(p.Levels) != len(q.Levels) {
			return 1
		}
		for l := range p.Levels {
			x, y := figure(a.Classes, p.Levels[l].RT), figure(b.Classes, q.Levels[l].RT)
			most = max(most, apart(x.mean, y.mean), apart(p.Levels[l].Effect, q.Levels[l].Effect))
		}
	}
	return most
}

func apart(x, y float64) float64 {
	if x == y {
		return 0
	}
	return math.Abs(x-y) / max(math.Abs(x), math.Abs(y))
}

// Hash names the input by its content.
func (in *Input) Hash() string {
	h := sha256.New()
	num := func(v ...float64) { feedHash(h, v...) }
	text := func(s string) {
		num(float64(len(s)))
		h.Write([]byte(s))
	}
	text("allocation/1")
	num(in.Statistic.Q, float64(in.From), float64(in.To), in.Limit, float64(len(in.Classes)), float64(len(in.Points)))
	for _, c := range in.Classes {
		text(c.Name)
		num(c.Share)
	}
	for i := range in.Points {
		p := &in.Points[i]
		text(p.Name)
		num(float64(p.Min), float64(p.Max), float64(p.Feeder), float64(len(p.Levels)))
		if p.Crowds {
			text("crowds")
		}
		for l := range p.Levels {
			v := &p.Levels[l]
			num(v.Work, v.Effect, v.Cap, v.Output)
			for _, d := range v.RT {
				num(float64(len(d)))
				for _, a := range d {
					num(a.MS, a.P)
				}
			}
		}
	}
	for _, n := range in.Graph.Nodes {
		text(n.Name)
		call := 0.0
		if n.Call {
			call = 1
		}
		num(float64(n.Point), call, float64(n.Parent), n.Network, float64(n.Retries))
	}
	for _, e := range in.Graph.Edges {
		num(float64(e.From), float64(e.To))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func feedHash(h hash.Hash, vs ...float64) {
	var b [8]byte
	for _, v := range vs {
		binary.BigEndian.PutUint64(b[:], math.Float64bits(v))
		h.Write(b[:])
	}
}
