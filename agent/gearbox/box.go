package gearbox

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/allspark/allspark/agent/loop"
	"github.com/allspark/allspark/agent/meter"
	"github.com/allspark/allspark/proto/gear"
)

// DefaultTTL holds until a controller names its own: how long the last good set
// answers without contact.
const DefaultTTL = 10 * time.Minute

// MaxScenes bounds how many scenes an app may intern, so that a scene name taken
// from a request cannot eat the memory. Later ones are "*".
const MaxScenes = 1024

// Config says whose box it is.
type Config struct {
	App, IDC string
	Meter    *meter.Meter
	Loops    *loop.Loops // the box's own when nil
}

// Point is a control point with what its code declares.
type Point struct {
	gear.PointDecl
	// Timeout is the declared handle of an external edge.
	Timeout TimeoutDecl
}

// TimeoutDecl is the default and range of an external edge's timeout.
type TimeoutDecl struct {
	Default  time.Duration
	Min, Max time.Duration // 0: unbounded
}

// Box holds the orders of one agent. Load may be called by any number of
// requests; everything else takes the box's lock.
type Box struct {
	cfg     Config
	current atomic.Pointer[Set]
	scenes  atomic.Pointer[map[string]int] // copied on write, read without a lock

	mu         sync.Mutex
	sceneNames []string
	points     []Point
	byName     map[string]int
	compiled   map[compiledKey]*compiled

	tables map[string]*gear.LevelTable
	age    []string // hashes of tables, oldest first
	held   *gear.OrderSet
	misfit gear.Problems // why points declared late cannot work with the held set

	ladder ladder
	disk   diskState
	staged stagedState
	shown  *gear.OrderSet // in force; nil on defaults
}

// New makes a box that answers with defaults.
func New(cfg Config) *Box {
	if cfg.Loops == nil {
		cfg.Loops = loop.NewLoops()
	}
	b := &Box{
		cfg: cfg, sceneNames: []string{gear.Any}, byName: map[string]int{},
		compiled: map[compiledKey]*compiled{}, tables: map[string]*gear.LevelTable{},
	}
	b.ladder.ttl = DefaultTTL
	b.scenes.Store(&map[string]int{gear.Any: 0})
	b.resolve(time.Now())
	return b
}

// Load gives what is in force.
func (b *Box) Load() *Set { return b.current.Load() }

// Table gives the hash of the level table that all traffic of a scene runs by at a
// point; "" on defaults, and where orders divide the traffic.
func (b *Box) Table(scene, point string) string {
	b.mu.Lock()
	p, ok := b.byName[point]
	b.mu.Unlock()
	sc, known := (*b.scenes.Load())[scene]
	if !ok || !known {
		return ""
	}
	s := b.Load()
	if p >= s.points {
		return ""
	}
	e := s.Entry(p, sc)
	if e.Buckets != nil || e.Rule.Order == nil {
		return ""
	}
	return e.Rule.Order.Table
}

// SceneName gives the name of an interned scene.
func (b *Box) SceneName(id int) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if id < 0 || id >= len(b.sceneNames) {
		return gear.Any
	}
	return b.sceneNames[id]
}

// Scene interns a scene and gives its place, 0 for "*" and past MaxScenes. For a
// scene already known it takes no lock and allocates nothing.
func (b *Box) Scene(name string) int {
	old := *b.scenes.Load()
	if id, ok := old[name]; ok {
		return id
	}
	if len(old) >= MaxScenes || !gear.PlaceName(name) {
		return 0 // without the lock: names that requests bring must not queue
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	old = *b.scenes.Load()
	if id, ok := old[name]; ok {
		return id
	}
	if len(old) >= MaxScenes {
		return 0
	}
	id := len(b.sceneNames)
	next := make(map[string]int, len(old)+1)
	for k, v := range old {
		next[k] = v
	}
	next[name] = id
	b.sceneNames = append(b.sceneNames, name)
	b.resolve(time.Now()) // first, so that whoever learns the place finds it in the set
	b.scenes.Store(&next)
	return id
}

// Declare adds a point and gives its place, or finds the one of that name.
func (b *Box) Declare(p Point) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if id, ok := b.byName[p.Name]; ok {
		return id
	}
	id := len(b.points)
	b.points = append(b.points, p)
	b.byName[p.Name] = id
	b.resolve(time.Now())
	return id
}

// Redeclare changes a point. The order of its parameters is kept by the caller:
// slots never move.
func (b *Box) Redeclare(id int, change func(*Point)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := &b.points[id]
	p.Params = append([]gear.Param(nil), p.Params...) // what was handed out stays as it was
	change(p)
	for k := range b.compiled {
		if k.point == id {
			delete(b.compiled, k)
		}
	}
	b.resolve(time.Now())
}

// Point gives a copy of the declaration at a place.
func (b *Box) Point(id int) Point {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.points[id]
	p.Params = append([]gear.Param(nil), p.Params...)
	return p
}

// Decls gives what the app declares, for the hello.
func (b *Box) Decls() []gear.PointDecl {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make([]gear.PointDecl, len(b.points))
	for i, p := range b.points {
		out[i] = p.PointDecl
		out[i].Params = append([]gear.Param(nil), p.Params...)
	}
	return out
}

// Held tells which set the box holds, in force or not, and its hash.
func (b *Box) Held() (v gear.Version, hash string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held == nil {
		return gear.Version{}, ""
	}
	return b.held.Version(), b.held.Hash
}

// Tables lists the hashes of the tables the box has, oldest first.
func (b *Box) Tables() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.age...)
}
