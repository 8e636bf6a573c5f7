package gearbox_test

import (
	"math"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/allspark/allspark/agent/gearbox"
	"github.com/allspark/allspark/agent/meter"
	"github.com/allspark/allspark/proto/gear"
)

// tagTable has one int column whose value at level l is 10·l, levels 1..n.
func tagTable(n int, change ...func(*gear.LevelTable)) gear.LevelTable {
	t := gear.LevelTable{Params: []gear.TableParam{{Name: "tag_count", Kind: gear.KindInt}}}
	for l := 1; l <= n; l++ {
		t.Rows = append(t.Rows, []gear.Value{gear.Int(int64(10 * l))})
		t.Work = append(t.Work, float64(l)/float64(n))
	}
	for _, c := range change {
		c(&t)
	}
	t.Hash = t.ComputeHash()
	return t
}

func order(scene, point, bucket string, t gear.LevelTable, level int) gear.Order {
	return gear.Order{
		Scene: scene, Point: point, Bucket: bucket, Table: t.Hash, Strategy: gear.StrategyFixed,
		Level: level, MinLevel: 1, MaxLevel: len(t.Rows), Template: "recall", TemplateVersion: 1,
	}
}

func set(revision int64, orders ...gear.Order) *gear.OrderSet {
	s := &gear.OrderSet{App: "sn", IDC: "et2", Epoch: 1, Revision: revision, Orders: orders}
	s.Hash = s.ComputeHash()
	return s
}

const recall, call = 0, 1

func newBox() *gearbox.Box {
	b := gearbox.New(gearbox.Config{App: "sn", IDC: "et2", Meter: meter.New()})
	b.Declare(gearbox.Point{PointDecl: gear.PointDecl{Name: "recall", Params: []gear.Param{{
		Name: "tag_count", Kind: gear.KindInt, Min: gear.Int(10), Max: gear.Int(200), Default: gear.Int(77),
	}}}})
	b.Declare(gearbox.Point{
		PointDecl: gear.PointDecl{Name: "call", External: true},
		Timeout:   gearbox.TimeoutDecl{Default: 90 * time.Millisecond, Min: time.Millisecond, Max: time.Second},
	})
	return b
}

func tags(t *testing.T, b *gearbox.Box, scene string) int64 {
	t.Helper()
	id := b.Scene(scene) // before Load: it may make a new set
	return int64(b.Load().Entry(recall, id).Rule.Row.Nums[0])
}

func TestTheMostSpecificOrderAnswers(t *testing.T) {
	b, table := newBox(), tagTable(10)
	require.Empty(t, b.AddTables([]gear.LevelTable{table}))
	b.Contact()
	require.Equal(t, int64(77), tags(t, b, "k2"), "the declared default without orders")

	ack := b.Apply(set(1,
		order("*", "recall", "*", table, 2), order("k2", "recall", "*", table, 3),
		order("k3", "recall", "0-10000", table, 4), order("k4", "recall", "0-5000", table, 5),
		order("*", "point-of-another-build", "*", table, 1)))
	require.Equal(t, gear.Ack{Version: gear.Version{Epoch: 1, Revision: 1}}, ack)
	require.Equal(t, int64(20), tags(t, b, "*"))
	require.Equal(t, int64(30), tags(t, b, "k2"))
	require.Equal(t, int64(20), tags(t, b, "unknown"), "an unknown scene is *")
	rule := b.Load().Entry(recall, 0).Rule
	require.Len(t, rule.Rows, 10, "a local loop may choose among all levels")
	require.Equal(t, table.Work, rule.Work)
	require.Equal(t, gear.RungLive, b.Load().RungAt(recall))
	require.Equal(t, gear.RungDefault, b.Load().RungAt(call), "no order for it")

	pick := func(scene, key string) int {
		id := b.Scene(scene)
		return b.Load().Entry(recall, id).Buckets.Pick(key).Row.Level & 0xff
	}
	half := 0
	for i := range 2000 {
		key := "user" + strconv.Itoa(i)
		require.Equal(t, 4, pick("k3", key))
		switch l := pick("k4", key); l {
		case 5:
			half++
			require.Less(t, gearbox.Slice(key), uint32(5000))
		default:
			require.Equal(t, 2, l, "the rest falls to scene *")
		}
	}
	require.InDelta(t, 1000, half, 120)
}

func TestSlicesAreEvenAndStable(t *testing.T) {
	require.EqualValues(t, gearbox.Slice("user-1"), gearbox.Slice("user-1"))
	var tens [10]int
	const n = 100_000
	for i := range n {
		tens[gearbox.Slice(strconv.Itoa(i))/1000]++
	}
	for _, c := range tens {
		require.InDelta(t, n/10, c, 5*math.Sqrt(n/10))
	}
	// Golden: a change would move every user to another bucket.
	require.Equal(t, []uint32{1081, 5741, 7146}, []uint32{gearbox.Slice(""), gearbox.Slice("u42"), gearbox.Slice("a-longer-user-identifier")})
}

func TestOlderVersionsAreRefused(t *testing.T) {
	b, table := newBox(), tagTable(10)
	b.AddTables([]gear.LevelTable{table})
	b.Contact()
	require.False(t, b.Apply(set(7, order("*", "recall", "*", table, 7))).Refused)
	ack := b.Apply(set(6, order("*", "recall", "*", table, 1)))
	require.True(t, ack.Refused)
	require.Equal(t, gearbox.CodeStale, ack.Problems[0].Code)
	require.Equal(t, "epoch 1 revision 6 is older than epoch 1 revision 7, which is held", ack.Problems[0].Message)
	require.Equal(t, int64(70), tags(t, b, "*"))
	require.Equal(t, gear.RungLive, b.Load().Rung, "a stale set is no bad news about the newest")

	again := b.Apply(set(7, order("*", "recall", "*", table, 7)))
	require.False(t, again.Refused, "the same set once more is acknowledged once more")
	s := set(1, order("*", "recall", "*", table, 3))
	s.Epoch = 2
	require.False(t, b.Apply(s).Refused, "a newer epoch wins whatever its revision")
	require.Equal(t, int64(30), tags(t, b, "*"))
}

// TestR10 (the agent's side): a bad order that got past validation is refused as a
// whole with its path, and the last good one stays.
func TestR10BadOrdersAreRefusedLastGoodKept(t *testing.T) {
	table := tagTable(10)
	external := gear.Order{Scene: "*", Point: "call", Bucket: "*", Strategy: gear.StrategyExternalTimeout, Timeout: time.Millisecond, Level: 1, MinLevel: 1, MaxLevel: 1}
	bad := func(name, path, message string, change func(*gear.OrderSet, *gear.Order), tables ...gear.LevelTable) {
		t.Run(name, func(t *testing.T) {
			b := newBox()
			require.Empty(t, b.AddTables(append(tables, table, tagTable(1, func(t *gear.LevelTable) {
				t.Params, t.Rows = nil, [][]gear.Value{{}}
			}))))
			b.Contact()
			require.False(t, b.Apply(set(1, order("*", "recall", "*", table, 4))).Refused)
			s := set(2, order("*", "recall", "*", table, 5), order("k2", "recall", "*", table, 6))
			change(s, &s.Orders[1])
			ack := b.Apply(s)
			require.True(t, ack.Refused)
			require.Equal(t, s.Version(), ack.Version)
			text := gear.Problems(ack.Problems).Error()
			require.Contains(t, text, path)
			require.Contains(t, text, message)
			require.Equal(t, int64(40), tags(t, b, "*"), "last good")
			require.Equal(t, int64(40), tags(t, b, "k2"), "nothing of the bad set")
			require.Equal(t, gear.RungLastGood, b.Load().Rung)
			held, _ := b.Held()
			require.Equal(t, gear.Version{Epoch: 1, Revision: 1}, held)
			require.False(t, b.Apply(set(3, order("*", "recall", "*", table, 9))).Refused, "a good one is taken again")
			require.Equal(t, gear.RungLive, b.Load().Rung)
		})
	}
	with := func(t gear.LevelTable) func(*gear.OrderSet, *gear.Order) {
		return func(_ *gear.OrderSet, o *gear.Order) { o.Table, o.MaxLevel = t.Hash, len(t.Rows) }
	}
	at := func(level int, v gear.Value) gear.LevelTable {
		return tagTable(10, func(t *gear.LevelTable) { t.Rows[level-1][0] = v })
	}
	huge := at(9, gear.Int(250))
	bad("out of range", "orders[1].table.rows[8].tag_count", "tag_count wants int 10..200, got 250 at level 9", with(huge), huge)
	floats := tagTable(2, func(t *gear.LevelTable) {
		t.Params[0].Kind = gear.KindFloat
		t.Rows = [][]gear.Value{{gear.Float(10)}, {gear.Float(20)}}
	})
	bad("wrong type", "orders[1].table.params.tag_count", "tag_count wants int 10..200", func(s *gear.OrderSet, o *gear.Order) {
		with(floats)(s, o)
		o.Level = 1
	}, floats)
	extra := tagTable(2, func(t *gear.LevelTable) {
		t.Params = append(t.Params, gear.TableParam{Name: "colour", Kind: gear.KindString})
		for i := range t.Rows {
			t.Rows[i] = append(t.Rows[i], gear.String("red"))
		}
	})
	bad("unknown parameter", "orders[1].table.params.colour", "not declared", func(s *gear.OrderSet, o *gear.Order) {
		with(extra)(s, o)
		o.Level = 1
	}, extra)
	bad("level above the table", "orders[1].level", "level wants", func(_ *gear.OrderSet, o *gear.Order) { o.Level, o.MaxLevel = 11, 11 })
	bad("level 0", "orders[1].level", "level wants", func(_ *gear.OrderSet, o *gear.Order) { o.Level, o.MinLevel = 0, 0 })
	bad("blank scene", "orders[1].scene", "", func(_ *gear.OrderSet, o *gear.Order) { o.Scene = "" })
	bad("blank point", "orders[1].point", "", func(_ *gear.OrderSet, o *gear.Order) { o.Point = "" })
	bad("blank strategy", "orders[1].strategy", "", func(_ *gear.OrderSet, o *gear.Order) { o.Strategy = "" })
	bad("duplicate", "orders[1]", "has order 0 already", func(_ *gear.OrderSet, o *gear.Order) { o.Scene = "*" })
	bad("bucket of no form", "orders[1].bucket", "bucket wants * or lo-hi of 10000", func(_ *gear.OrderSet, o *gear.Order) { o.Bucket = "blue" })
	bad("unknown table", "orders[1].table", "never sent", func(_ *gear.OrderSet, o *gear.Order) { o.Table = "feedfeed" })
	bad("NaN setting", "orders[1].settings", "", func(_ *gear.OrderSet, o *gear.Order) {
		o.Strategy = gear.StrategyCentral
		o.Settings = []gear.Setting{{Name: gear.SettingBand, Value: gear.Float(math.NaN())}}
	})
	bad("timeout out of the declared range", "orders[1].timeout", "timeout wants duration 1ms..1s, got 1h", func(s *gear.OrderSet, o *gear.Order) {
		external.Timeout = time.Hour
		empty := tagTable(1, func(t *gear.LevelTable) { t.Params, t.Rows = nil, [][]gear.Value{{}} })
		external.Table = empty.Hash
		*o = external
	})
	bad("timeout at a point without one", "orders[1].strategy", "no external call", func(_ *gear.OrderSet, o *gear.Order) {
		o.Strategy, o.Timeout = gear.StrategyExternalTimeout, time.Second
	})
	bad("another app's", "app", `this is app sn, got orders of "merger"`, func(s *gear.OrderSet, _ *gear.Order) { s.App = "merger" })
	bad("another IDC's", "idc", "", func(s *gear.OrderSet, _ *gear.Order) { s.IDC = "na61" })
	bad("huge", "orders", "at most 10000 orders", func(s *gear.OrderSet, o *gear.Order) {
		for i := range gear.MaxOrders {
			x := *o
			x.Scene = "s" + strconv.Itoa(i)
			s.Orders = append(s.Orders, x)
		}
	})
	bad("injected line", "orders[1].scene", "", func(_ *gear.OrderSet, o *gear.Order) { o.Scene = "k2\nlevel=ERROR" })
}

func TestTablesThatAreNotWholeAreRefusedAlone(t *testing.T) {
	b, good := newBox(), tagTable(3)
	nan := tagTable(2, func(t *gear.LevelTable) { t.Work[0] = math.NaN() })
	ragged := tagTable(2, func(t *gear.LevelTable) { t.Rows[1] = nil })
	forged := tagTable(2)
	forged.Rows[0][0] = gear.Int(9999)
	nameless := tagTable(2)
	nameless.Hash = ""
	problems := b.AddTables([]gear.LevelTable{nan, ragged, forged, nameless, good})
	text := problems.Error()
	for _, path := range []string{"tables[0].work[0]", "tables[1].rows[1]", "tables[2].hash", "tables[3].hash"} {
		require.Contains(t, text, path)
	}
	require.NotContains(t, text, "tables[4]")
	require.Equal(t, []string{good.Hash}, b.Tables())
	require.Equal(t, []string{"other"}, b.Missing(set(1, order("*", "recall", "*", gear.LevelTable{Hash: "other"}, 1), order("*", "recall", "*", good, 1))))
}

func TestTheLadder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, table := newBox(), tagTable(10)
		b.SetTTL(10 * time.Second)
		b.AddTables([]gear.LevelTable{table})
		b.Contact()
		b.Apply(set(1, order("*", "recall", "*", table, 4)))
		time.Sleep(time.Hour)
		b.Tick()
		require.Equal(t, gear.RungLive, b.Load().Rung, "a live stream has no TTL")

		b.Lost()
		require.Equal(t, gear.RungLastGood, b.Load().Rung)
		time.Sleep(10*time.Second - time.Millisecond)
		b.Tick()
		require.Equal(t, int64(40), tags(t, b, "*"), "one millisecond before the TTL")
		time.Sleep(time.Millisecond)
		b.Tick()
		require.Equal(t, gear.RungDefault, b.Load().Rung)
		require.Equal(t, int64(77), tags(t, b, "*"), "the TTL ran out: defaults")
		held, _ := b.Held()
		require.EqualValues(t, 1, held.Revision, "still the floor for new versions")

		b.Contact()
		require.Equal(t, gear.RungLive, b.Load().Rung, "confirmed by a controller")
		require.Equal(t, int64(40), tags(t, b, "*"))
	})
}

func TestLateDeclarations(t *testing.T) {
	b, table := newBox(), tagTable(10)
	b.AddTables([]gear.LevelTable{table})
	b.Contact()
	require.False(t, b.Apply(set(1, order("*", "recall", "*", table, 4), order("*", "late", "*", table, 6))).Refused)
	late := b.Declare(gearbox.Point{PointDecl: gear.PointDecl{Name: "late", Params: []gear.Param{{
		Name: "tag_count", Kind: gear.KindInt, Min: gear.Int(10), Max: gear.Int(50), Default: gear.Int(11),
	}}}})
	v := b.Load().Entry(late, 0).Rule.Row.Nums[0]
	require.EqualValues(t, 11, v, "the held set does not fit it: defaults, for this point alone")
	require.Equal(t, int64(40), tags(t, b, "*"))
	ack := b.Apply(set(1, order("*", "recall", "*", table, 4), order("*", "late", "*", table, 6)))
	require.True(t, ack.Refused, "and the controller hears of it")
	require.Contains(t, gear.Problems(ack.Problems).Error(), "points.late.rows[5].tag_count: tag_count wants int 10..50, got 60 at level 6")

	b.Redeclare(late, func(p *gearbox.Point) { p.Params[0].Max = gear.Int(200) })
	v = b.Load().Entry(late, 0).Rule.Row.Nums[0]
	require.EqualValues(t, 60, v, "a wider declaration fits")
}

func TestScenesAreBounded(t *testing.T) {
	b := newBox()
	for i := range 3 * gearbox.MaxScenes / 2 {
		b.Scene("scene" + strconv.Itoa(i))
	}
	require.Positive(t, b.Scene("scene1"))
	require.Zero(t, b.Scene("scene"+strconv.Itoa(3*gearbox.MaxScenes/2-1)), "the rest is *")
	require.Zero(t, b.Scene("a b"))
	require.Zero(t, b.Scene(strings.Repeat("x", 64)))
}

// A request sees one set: whatever changes meanwhile, values that belong together
// stay together.
func TestReadersSeeWholeSets(t *testing.T) {
	b, table := newBox(), tagTable(10)
	b.AddTables([]gear.LevelTable{table})
	b.Contact()
	k2 := b.Scene("k2")
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				s := b.Load()
				star, scene := s.Entry(recall, 0).Rule, s.Entry(recall, k2).Rule
				if star.Row.Level != scene.Row.Level || star.Version != scene.Version || star.Version != s.Version {
					panic("a torn set")
				}
				if v := star.Row.Nums[0]; star.Row.Level > 0 && int64(v) != int64(10*star.Row.Level) {
					panic("a torn row")
				}
			}
		})
	}
	for r := range int64(300) {
		level := int(r)%10 + 1
		b.Apply(set(r+1, order("*", "recall", "*", table, level), order("k2", "recall", "*", table, level)))
		if r%50 == 0 {
			b.Scene("new" + strconv.Itoa(int(r)))
		}
	}
	close(stop)
	wg.Wait()
}

func TestVersionsNeverFall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, table := newBox(), tagTable(10)
		b.AddTables([]gear.LevelTable{table})
		last := gear.Version{}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			s := set(rapid.Int64Range(-1, 5).Draw(t, "revision"), order("*", "recall", "*", table, rapid.IntRange(-1, 12).Draw(t, "level")))
			s.Epoch = rapid.Int64Range(0, 3).Draw(t, "epoch")
			ack := b.Apply(s)
			held, _ := b.Held()
			if held.Less(last) || held != b.Load().Version {
				t.Fatalf("held %v after %v", held, last)
			}
			if !ack.Refused && held != s.Version() {
				t.Fatalf("acknowledged %v, holds %v", s.Version(), held)
			}
			if ack.Refused && len(ack.Problems) == 0 {
				t.Fatal("refused without a reason")
			}
			last = held
		}
	})
}
