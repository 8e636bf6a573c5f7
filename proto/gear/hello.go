package gear

import "time"

// Hello is how an agent registers itself.
type Hello struct {
	Instance     string // unique per process start; the controller may assign another
	App, IDC     string
	Host, Build  string
	SDK          string
	Capabilities []string // e.g. crowd_rt, external_timeout, staged, quota
	Points       []PointDecl
	Held         Version
	HeldHash     string
	Tables       []string // hashes of the level tables it still holds
	FallbackRung Rung
	StartedAt    time.Time
	StagedHash   string // of the plan steps held beforehand
}

// PointDecl is a control point as the app's code declares it.
type PointDecl struct {
	Name     string
	External bool // a call edge owned by this app: its handle is a timeout
	Params   []Param
}

// Rung is the step of the fallback ladder that answers at the moment.
type Rung uint8

// The ladder, best first.
const (
	RungLive     Rung = iota + 1 // the live order
	RungStaged                   // a staged plan step that is due
	RungLastGood                 // the last good set, from memory or disk, until its TTL
	RungDefault                  // the defaults declared by the app
)

var rungNames = [...]string{"", "live", "staged", "last_good", "default"}

// String gives the rung's name in API and metrics.
func (r Rung) String() string {
	if int(r) < len(rungNames) {
		return rungNames[r]
	}
	return "unknown"
}

// Report is one second (by default) of what an agent measured.
type Report struct {
	Sequence int64
	At       time.Time     // the agent's estimate of reference time at the window's end
	Window   time.Duration // length of the window
	Held     Version
	Rung     Rung
	CPU      float64 // share of the machine's cores busy, 0..1; negative when unknown
	Clock    time.Duration
	Points   []PointReport
	Calls    []CallReport   // now and then
	Levels   []LevelReport  // now and then
	Buckets  []BucketReport // now and then, where orders divide traffic
}

// LevelReport is what some requests of one level and class of load took at a point
// in a scene. Sums of RT and Value are over Count requests, the others over Worked,
// of which the app told.
type LevelReport struct {
	Scene, Point string
	Table        string // hash of the level table
	Level        int
	Class        string // of load
	Count        int64
	RT           []byte // proto/sketch encoding, microseconds
	Value        float64
	Worked       int64
	CPU          float64 // core-milliseconds
	Taken        int64   // results taken from the point before
	TakenMax     int64   // by one request
	Output       int64   // results handed on
	Effect       float64
}

// CallReport is how often followed requests of a scene met a point so. With After
// it tells of an order that was seen, with Span of a point around others, else of
// the point itself, once a request that came to it.
type CallReport struct {
	Scene, Point string
	External     bool   // an external edge
	Caller       string // app/point of the external edge through which the call came; "" from outside
	After        string // app/point that was over before
	Span         bool   // other points or calls took place within it
	Count        int64
}

// PointReport is what happened at one point for one scene.
type PointReport struct {
	Scene, Point string
	Count        int64
	OK           int64
	Timeouts     int64
	Errors       int64
	Shed         int64
	RTSum        time.Duration
	RT           []byte // proto/sketch encoding, microseconds
	Value        float64
	Load         float64 // sum of predicted loads
	LevelSum     int64   // request-weighted: mean level = LevelSum / Count
	LevelMin     int
	LevelMax     int
	Crowds       []CrowdReport

	// Of a crowd loop, else 0.
	AvailableRT time.Duration // the mean that its crowds are held at
	FitResidual float64       // standard deviation of ln RT around the predictor
}

// CrowdReport is one crowd of a point: requests of similar predicted RT.
type CrowdReport struct {
	Crowd   int
	Edge    time.Duration // lower edge of predicted RT at the reference level
	Count   int64
	RTSum   time.Duration
	Work    float64
	Level   int
	Bounded string // "", "top" or "unreachable"

	Downgraded int64 // of Count: ran below the order's level, as dithering expects it
	// Needless is the estimated share of the downgraded that would have been within
	// AvailableRT at the order's level; NeedlessError is its standard error.
	Needless      float64
	NeedlessError float64
	Reason        string // of the last decision; empty when it was said a moment ago
}
