package gear

import "time"

// Any is the scene, IDC, app, point or bucket that stands for all of them.
const Any = "*"

// Strategy names how a point's level is regulated.
type Strategy string

// The strategies. A template's settings for its strategy are typed parameters
// too: see StrategyParams.
const (
	StrategyFixed           Strategy = "fixed"            // the level of the order, exactly
	StrategyCentral         Strategy = "central"          // one level for the point, moved by the controller
	StrategyCrowdRT         Strategy = "crowd_rt"         // the agent's crowd loop holds mean RT at the available RT
	StrategyExternalTimeout Strategy = "external_timeout" // a call edge: the handle is the caller's timeout
)

// Setting is one named value of a strategy.
type Setting struct {
	Name  string
	Value Value
}

// LevelTable says what every level means: Rows[l-1][i] is the value of
// Params[i] at level l. It is immutable and named by the hash of its content,
// so an agent that holds it is never sent it again.
type LevelTable struct {
	Hash   string
	Params []TableParam
	Rows   [][]Value
	// Work is the work factor of each level relative to the highest (0 < w <= 1),
	// in level order. Laws act on work, not on levels.
	Work []float64
}

// TableParam is a column of a LevelTable.
type TableParam struct {
	Name string
	Kind Kind
}

// Order is what agents must do at one point for one scene and bucket.
type Order struct {
	Scene, Point, Bucket string // Any stands for "no more specific entry"
	Table                string // hash of the LevelTable
	Strategy             Strategy
	Settings             []Setting
	Level                int // start and cap for crowd_rt; exact for fixed and central
	MinLevel, MaxLevel   int
	AvailableRT          time.Duration // mean setpoint; 0 when the strategy has none
	Timeout              time.Duration // external edges; 0 when the strategy has none
	Pinned               bool          // a claim holds every crowd at Level, or an edge at Timeout
	Template             string        // name, for people
	TemplateVersion      int
}

// OrderSet is everything one app in one IDC must do, applied as a whole.
//
// INVARIANT: (Epoch, Revision) never falls on an agent. Revision is global and
// rising; Epoch rises when the journal itself went back (a restored backup) or
// the lease changed hands.
type OrderSet struct {
	App, IDC        string
	Epoch, Revision int64
	Orders          []Order
	Hash            string // of the content without epoch and revision

	// Decided is the instant of reference time it was decided for. It is not part
	// of the hash; a staged step counts until a set decided after its instant comes.
	Decided time.Time
}

// Version orders sets: newer epochs first, then newer revisions.
type Version struct{ Epoch, Revision int64 }

// Version tells which set this is.
func (s *OrderSet) Version() Version { return Version{s.Epoch, s.Revision} }

// Less reports whether v is older than w.
func (v Version) Less(w Version) bool {
	return v.Epoch < w.Epoch || v.Epoch == w.Epoch && v.Revision < w.Revision
}

// Ack answers one order set: held, or refused with every offending path.
type Ack struct {
	Version  Version
	Refused  bool
	Problems []Problem
}
