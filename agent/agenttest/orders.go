package agenttest

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/wire"

	agentv1 "github.com/allspark/allspark/proto/agent/v1"
)

// Row is what one level means: parameter values by name, as int, int64, float64,
// bool, string, time.Duration, or a gear.Value (enums: gear.Enum).
type Row map[string]any

// Levels says what the levels of a point mean, from level 1 up. The parameters
// are those of the first row.
func (c *Controller) Levels(point string, rows ...Row) {
	t := table(rows)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tables[point] = t
	c.byHash[t.Hash] = t
}

func table(rows []Row) *gear.LevelTable {
	t := &gear.LevelTable{}
	if len(rows) == 0 {
		rows = []Row{{}}
	}
	names := slices.Sorted(maps.Keys(rows[0]))
	for _, n := range names {
		t.Params = append(t.Params, gear.TableParam{Name: n, Kind: value(rows[0][n]).Kind()})
	}
	for i, r := range rows {
		row := make([]gear.Value, len(names))
		for k, n := range names {
			row[k] = value(r[n])
		}
		t.Rows = append(t.Rows, row)
		t.Work = append(t.Work, float64(i+1)/float64(len(rows)))
	}
	t.Hash = t.ComputeHash()
	return t
}

func value(v any) gear.Value {
	switch v := v.(type) {
	case gear.Value:
		return v
	case int:
		return gear.Int(int64(v))
	case int64:
		return gear.Int(v)
	case float64:
		return gear.Float(v)
	case bool:
		return gear.Bool(v)
	case string:
		return gear.String(v)
	case time.Duration:
		return gear.Duration(v)
	default:
		panic(fmt.Sprintf("agenttest: %T is no parameter value", v))
	}
}

// SetLevel orders a level for a scene ("*": all) at a point and gives the
// version to wait for.
func (c *Controller) SetLevel(scene, point string, level int) gear.Version {
	return c.order(scene, point, func(o *gear.Order) {
		o.Strategy, o.Level = gear.StrategyFixed, level
	})
}

// SetTimeout orders the timeout of an external call edge.
func (c *Controller) SetTimeout(scene, point string, timeout time.Duration) gear.Version {
	return c.order(scene, point, func(o *gear.Order) {
		o.Strategy, o.Timeout = gear.StrategyExternalTimeout, timeout
		o.Settings = []gear.Setting{{Name: gear.SettingTimeout, Value: gear.Duration(timeout)}}
	})
}

// SetCrowds orders the crowd loop to hold a mean RT, with level as start and cap.
func (c *Controller) SetCrowds(scene, point string, level int, available time.Duration, settings ...gear.Setting) gear.Version {
	return c.order(scene, point, func(o *gear.Order) {
		o.Strategy, o.Level, o.AvailableRT, o.Settings, o.Pinned = gear.StrategyCrowdRT, level, available, settings, false
	})
}

// Pin orders a level that every crowd is held at, as a manual claim does.
func (c *Controller) Pin(scene, point string, level int) gear.Version {
	return c.order(scene, point, func(o *gear.Order) { o.Level, o.Pinned = level, true })
}

func (c *Controller) order(scene, point string, change func(*gear.Order)) gear.Version {
	c.mu.Lock()
	set := c.set
	set.Orders = slices.Clone(set.Orders)
	i := slices.IndexFunc(set.Orders, func(o gear.Order) bool { return o.Scene == scene && o.Point == point && o.Bucket == gear.Any })
	if i < 0 {
		i = len(set.Orders)
		set.Orders = append(set.Orders, gear.Order{Scene: scene, Point: point, Bucket: gear.Any, Level: 1})
	}
	t := c.tables[point]
	if t == nil {
		t = table(nil)
		c.tables[point], c.byHash[t.Hash] = t, t
	}
	o := &set.Orders[i]
	o.Table, o.MinLevel, o.MaxLevel = t.Hash, 1, len(t.Rows)
	o.Level = min(o.Level, len(t.Rows))
	c.mu.Unlock()
	change(o)
	return c.Publish(set.Orders...)
}

// Publish replaces all orders, under the next revision. The tables they name
// must be of Levels or AddTable.
func (c *Controller) Publish(orders ...gear.Order) gear.Version {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set.Orders = orders
	c.set.Revision++
	c.push()
	return c.set.Version()
}

// SetVersion publishes the orders again under a version of the test's choice.
func (c *Controller) SetVersion(v gear.Version) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set.Epoch, c.set.Revision = v.Epoch, v.Revision
	c.push()
}

// AddTable makes a table known whose hash orders of Publish name.
func (c *Controller) AddTable(t gear.LevelTable) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byHash[t.Hash] = &t
}

func (c *Controller) push() {
	for s := range c.sessions {
		s.state(false)
	}
}

// LoseTables makes the controller believe that its agents have every table it
// knows, so that the next set comes without them.
func (c *Controller) LoseTables() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for s := range c.sessions {
		for h := range c.byHash {
			s.tables[h] = true
		}
	}
}

// state posts the tables an agent lacks and its order set, unless it holds the
// same already. c.mu is held.
func (s *session) state(unlessHeld bool) {
	set := s.c.set
	if set.Revision == 0 {
		return
	}
	set.App, set.IDC = s.hello.App, s.hello.IDC
	set.Hash = set.ComputeHash()
	if unlessHeld && s.hello.HeldHash == set.Hash && s.hello.Held == set.Version() {
		return
	}
	var lacking []*agentv1.LevelTable
	for i := range set.Orders {
		h := set.Orders[i].Table
		if t := s.c.byHash[h]; t != nil && !s.tables[h] {
			s.tables[h] = true
			lacking = append(lacking, wire.FromTable(t))
		}
	}
	if len(lacking) > 0 {
		s.post(&agentv1.ConnectResponse{Body: &agentv1.ConnectResponse_Tables{Tables: &agentv1.LevelTables{Tables: lacking}}})
	}
	s.post(&agentv1.ConnectResponse{Body: &agentv1.ConnectResponse_Orders{Orders: wire.FromOrderSet(&set)}})
}
