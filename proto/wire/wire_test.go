package wire_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/wire"
)

var (
	name   = rapid.StringMatching(`[a-z0-9._-]{0,20}`)
	count  = rapid.Int64Range(0, math.MaxInt64)
	serial = rapid.Int64Range(0, wire.MaxVersion)
	number = rapid.Float64Range(-1e300, 1e300)
	micros = rapid.Custom(func(t *rapid.T) time.Duration {
		return time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "us")) * time.Microsecond
	})
	instant = rapid.Custom(func(t *rapid.T) time.Time {
		ns := rapid.Int64Range(0, 4e18).Draw(t, "ns")
		if ns == 0 {
			return time.Time{}
		}
		return time.Unix(0, ns).UTC()
	})
	version = rapid.Custom(func(t *rapid.T) gear.Version {
		return gear.Version{Epoch: serial.Draw(t, "epoch"), Revision: serial.Draw(t, "revision")}
	})
	value = rapid.Custom(func(t *rapid.T) gear.Value {
		switch rapid.IntRange(0, 6).Draw(t, "kind") {
		case 1:
			return gear.Int(rapid.Int64().Draw(t, "int"))
		case 2:
			return gear.Float(number.Draw(t, "float"))
		case 3:
			return gear.Bool(rapid.Bool().Draw(t, "bool"))
		case 4:
			return gear.String(rapid.String().Draw(t, "string"))
		case 5:
			return gear.Enum(name.Draw(t, "enum"))
		case 6:
			return gear.Duration(time.Duration(rapid.Int64().Draw(t, "duration")))
		default:
			return gear.Value{}
		}
	})
)

func list[T any](t *rapid.T, label string, g *rapid.Generator[T]) []T {
	s := rapid.SliceOfN(g, 0, 4).Draw(t, label)
	if len(s) == 0 {
		return nil
	}
	return s
}

var param = rapid.Custom(func(t *rapid.T) gear.Param {
	return gear.Param{
		Name: name.Draw(t, "name"), Kind: gear.Kind(rapid.IntRange(0, 12).Draw(t, "kind")), Unit: name.Draw(t, "unit"),
		Min: value.Draw(t, "min"), Max: value.Draw(t, "max"), Step: value.Draw(t, "step"), Values: list(t, "values", name),
		Default: value.Draw(t, "default"), Monotonic: gear.Monotonic(rapid.IntRange(0, 2).Draw(t, "monotonic")),
	}
})

// travel sends a message over the wire.
func travel[M proto.Message](t require.TestingT, in, out M) M {
	b, err := proto.Marshal(in)
	require.NoError(t, err)
	require.NoError(t, proto.Unmarshal(b, out))
	return out
}

func TestHelloRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := gear.Hello{
			Instance: name.Draw(t, "instance"), App: name.Draw(t, "app"), IDC: name.Draw(t, "idc"), Host: name.Draw(t, "host"),
			Build: name.Draw(t, "build"), SDK: name.Draw(t, "sdk"), Capabilities: list(t, "capabilities", name),
			Held: version.Draw(t, "held"), HeldHash: name.Draw(t, "hash"), Tables: list(t, "tables", name),
			FallbackRung: gear.Rung(rapid.IntRange(0, 4).Draw(t, "rung")), StartedAt: instant.Draw(t, "started"),
			Points: list(t, "points", rapid.Custom(func(t *rapid.T) gear.PointDecl {
				return gear.PointDecl{Name: name.Draw(t, "point"), External: rapid.Bool().Draw(t, "external"), Params: list(t, "params", param)}
			})),
		}
		got, ps := wire.ToHello(travel(t, wire.FromHello(&want), &agentv1.Hello{}))
		require.NoError(t, ps.Err())
		require.Equal(t, want, got)
	})
}

func TestOrderSetRoundTrip(t *testing.T) {
	level := rapid.IntRange(math.MinInt32, math.MaxInt32)
	rapid.Check(t, func(t *rapid.T) {
		v := version.Draw(t, "version")
		want := gear.OrderSet{
			App: name.Draw(t, "app"), IDC: name.Draw(t, "idc"), Epoch: v.Epoch, Revision: v.Revision, Hash: name.Draw(t, "hash"),
			Orders: list(t, "orders", rapid.Custom(func(t *rapid.T) gear.Order {
				return gear.Order{
					Scene: name.Draw(t, "scene"), Point: name.Draw(t, "point"), Bucket: name.Draw(t, "bucket"), Table: name.Draw(t, "table"),
					Strategy: gear.Strategy(name.Draw(t, "strategy")), Level: level.Draw(t, "level"), MinLevel: level.Draw(t, "min"),
					MaxLevel: level.Draw(t, "max"), AvailableRT: micros.Draw(t, "rt"), Timeout: micros.Draw(t, "timeout"),
					Pinned: rapid.Bool().Draw(t, "pinned"), Template: name.Draw(t, "template"), TemplateVersion: level.Draw(t, "version"),
					Settings: list(t, "settings", rapid.Custom(func(t *rapid.T) gear.Setting {
						return gear.Setting{Name: name.Draw(t, "setting"), Value: value.Draw(t, "value")}
					})),
				}
			})),
		}
		got, ps := wire.ToOrderSet(travel(t, wire.FromOrderSet(&want), &agentv1.OrderSet{}))
		require.NoError(t, ps.Err())
		require.Equal(t, want, got)
	})
}

func TestTableRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(0, 4).Draw(t, "columns")
		want := gear.LevelTable{Hash: name.Draw(t, "hash"), Work: list(t, "work", number)}
		for range columns {
			want.Params = append(want.Params, gear.TableParam{Name: name.Draw(t, "param"), Kind: gear.Kind(rapid.IntRange(0, 9).Draw(t, "kind"))})
		}
		for range rapid.IntRange(0, 4).Draw(t, "levels") {
			row := make([]gear.Value, columns)
			for i := range row {
				row[i] = value.Draw(t, "value")
			}
			want.Rows = append(want.Rows, row)
		}
		got, ps := wire.ToTable(travel(t, wire.FromTable(&want), &agentv1.LevelTable{}))
		require.NoError(t, ps.Err())
		require.Equal(t, want, got)
	})
}

func TestReportRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := gear.Report{
			Sequence: count.Draw(t, "sequence"), At: instant.Draw(t, "at"), Window: time.Duration(rapid.Int64Range(0, int64(wire.MaxWindow)).Draw(t, "window")),
			Held: version.Draw(t, "held"), Rung: gear.Rung(rapid.IntRange(0, 4).Draw(t, "rung")), CPU: number.Draw(t, "cpu"),
			Clock: time.Duration(rapid.Int64().Draw(t, "clock")),
			Points: list(t, "points", rapid.Custom(func(t *rapid.T) gear.PointReport {
				return gear.PointReport{
					Scene: name.Draw(t, "scene"), Point: name.Draw(t, "point"), Count: count.Draw(t, "count"), OK: count.Draw(t, "ok"),
					Timeouts: count.Draw(t, "timeouts"), Errors: count.Draw(t, "errors"), Shed: count.Draw(t, "shed"), RTSum: micros.Draw(t, "sum"),
					RT: list(t, "rt", rapid.Byte()), Value: number.Draw(t, "value"), Load: number.Draw(t, "load"), LevelSum: count.Draw(t, "levels"),
					LevelMin: rapid.IntRange(0, 100).Draw(t, "min"), LevelMax: rapid.IntRange(0, 100).Draw(t, "max"),
					AvailableRT: micros.Draw(t, "available"), FitResidual: number.Draw(t, "residual"),
					Crowds: list(t, "crowds", rapid.Custom(func(t *rapid.T) gear.CrowdReport {
						return gear.CrowdReport{
							Crowd: rapid.IntRange(0, 60).Draw(t, "crowd"), Edge: micros.Draw(t, "edge"), Count: count.Draw(t, "count"),
							RTSum: micros.Draw(t, "sum"), Work: number.Draw(t, "work"), Level: rapid.IntRange(0, 100).Draw(t, "level"),
							Bounded:    rapid.SampledFrom([]string{"", "top", "unreachable"}).Draw(t, "bounded"),
							Downgraded: count.Draw(t, "downgraded"), Needless: number.Draw(t, "needless"),
							NeedlessError: number.Draw(t, "error"), Reason: rapid.String().Filter(func(s string) bool { return len(s) <= wire.MaxName }).Draw(t, "reason"),
						}
					})),
				}
			})),
		}
		want.Buckets = list(t, "buckets", rapid.Custom(func(t *rapid.T) gear.BucketReport {
			b := gear.BucketReport{Bucket: name.Draw(t, "bucket"), PointReport: gear.PointReport{Scene: name.Draw(t, "scene"), Count: count.Draw(t, "count")}}
			for k := range b.Blocks {
				b.Blocks[k] = gear.BlockReport{
					Count: count.Draw(t, "count"), Shed: count.Draw(t, "shed"), Timeouts: count.Draw(t, "timeouts"),
					RTSum: micros.Draw(t, "sum"), Value: number.Draw(t, "value"),
				}
			}
			return b
		}))
		got, ps := wire.ToReport(travel(t, wire.FromReport(&want), &agentv1.Report{}))
		require.NoError(t, ps.Err())
		require.Equal(t, want, got)
	})
}

func TestAckRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := gear.Ack{
			Version: version.Draw(t, "version"), Refused: rapid.Bool().Draw(t, "refused"),
			Problems: list(t, "problems", rapid.Custom(func(t *rapid.T) gear.Problem {
				return gear.Problem{Path: name.Draw(t, "path"), Code: name.Draw(t, "code"), Message: name.Draw(t, "message")}
			})),
		}
		got, ps := wire.ToAck(travel(t, wire.FromAck(&want), &agentv1.Ack{}))
		require.NoError(t, ps.Err())
		require.Equal(t, want, got)
	})
}

func TestNotFiniteIsAProblemWithItsPath(t *testing.T) {
	table := gear.LevelTable{
		Params: []gear.TableParam{{Name: "threshold", Kind: gear.KindFloat}},
		Rows:   [][]gear.Value{{gear.Float(1)}, {gear.Float(math.NaN())}}, Work: []float64{0.5, math.Inf(1)},
	}
	_, ps := wire.ToTable(wire.FromTable(&table))
	require.Equal(t, gear.Problems{
		{Path: "rows[1].threshold", Code: "finite", Message: "threshold wants a finite number, got NaN"},
		{Path: "work[1]", Code: "finite", Message: "work[1] wants a finite number, got +Inf"},
	}, ps)

	set := gear.OrderSet{Orders: []gear.Order{{}, {Settings: []gear.Setting{{Name: "eta", Value: gear.Float(math.Inf(-1))}}}}}
	_, ps = wire.ToOrderSet(wire.FromOrderSet(&set))
	require.Len(t, ps, 1)
	require.Equal(t, "orders[1].settings.eta", ps[0].Path)

	_, ps = wire.ToReport(&agentv1.Report{Cpu: math.NaN(), Points: []*agentv1.PointReport{{}, {Count: -1, Value: math.NaN()}}})
	require.Equal(t, []string{"cpu", "points[1].count", "points[1].value"}, []string{ps[0].Path, ps[1].Path, ps[2].Path})
}

func TestUnknownsAreSafe(t *testing.T) {
	h, ps := wire.ToHello(&agentv1.Hello{Rung: 77, Points: []*agentv1.PointDecl{nil, {
		Name: "recall", Params: []*agentv1.Param{nil, {Name: "x", Kind: 1 << 30, Monotonic: 9, Default: &agentv1.Value{}}},
	}}})
	require.NoError(t, ps.Err())
	require.Equal(t, gear.Rung(0), h.FallbackRung)
	require.Equal(t, "kind(255)", h.Points[1].Params[1].Kind.String())
	require.Equal(t, gear.MonotonicNone, h.Points[1].Params[1].Monotonic)
	require.True(t, h.Points[1].Params[1].Default.IsZero())

	var missing *agentv1.OrderSet
	_, ps = wire.ToOrderSet(missing)
	require.NoError(t, ps.Err())
}

func TestSizesAreBounded(t *testing.T) {
	long := strings.Repeat("x", wire.MaxName+1)
	_, ps := wire.ToHello(&agentv1.Hello{Instance: long, Tables: make([]string, wire.MaxTables+1), Points: make([]*agentv1.PointDecl, wire.MaxPoints+1)})
	require.Len(t, ps, 3)
	_, ps = wire.ToOrderSet(&agentv1.OrderSet{Orders: make([]*agentv1.Order, wire.MaxOrders+1), Epoch: -1})
	require.Len(t, ps, 2)
	_, ps = wire.ToReport(&agentv1.Report{WindowNs: int64(2 * wire.MaxWindow), Points: []*agentv1.PointReport{{Rt: make([]byte, wire.MaxSketch+1)}}})
	require.Len(t, ps, 2)

	many := make([]*agentv1.PointReport, 1000)
	for i := range many {
		many[i] = &agentv1.PointReport{Count: -1}
	}
	_, ps = wire.ToReport(&agentv1.Report{Points: many})
	require.Len(t, ps, wire.MaxProblems, "an answer must not be larger than what was asked")
}

func TestARefusalAlwaysGetsThrough(t *testing.T) {
	a := gear.Ack{Refused: true}
	for range 200 {
		a.Problems = append(a.Problems, gear.Problem{Path: "a\xff", Message: strings.Repeat("é", wire.MaxText)})
	}
	got, ps := wire.ToAck(travel(t, wire.FromAck(&a), &agentv1.Ack{}))
	require.NoError(t, ps.Err())
	require.True(t, got.Refused)
	require.Len(t, got.Problems, wire.MaxProblems)

	evil := wire.FromAck(&gear.Ack{Refused: true, Problems: []gear.Problem{{Message: "x\nlevel=ERROR \x1b[31m\u202e"}}})
	got, _ = wire.ToAck(evil)
	require.Equal(t, "x\uFFFDlevel=ERROR \uFFFD[31m\uFFFD", got.Problems[0].Message)
}

// FuzzRequest feeds a stranger's bytes to everything that reads requests and
// answers: nothing panics, and what was accepted survives a second journey.
func FuzzRequest(f *testing.F) {
	seed := func(m proto.Message) {
		b, err := proto.Marshal(m)
		require.NoError(f, err)
		f.Add(b)
	}
	seed(&agentv1.ConnectRequest{Hello: wire.FromHello(&gear.Hello{App: "sn", Points: []gear.PointDecl{{Name: "recall", Params: []gear.Param{{Name: "n", Default: gear.Int(1)}}}}})})
	seed(&agentv1.ConnectRequest{Report: wire.FromReport(&gear.Report{Points: []gear.PointReport{{Count: 1, Crowds: []gear.CrowdReport{{Level: 3}}}}}), Ack: &agentv1.Ack{Refused: true}})
	seed(&agentv1.ConnectResponse{Body: &agentv1.ConnectResponse_Orders{Orders: wire.FromOrderSet(&gear.OrderSet{Orders: []gear.Order{{Level: 3}}})}})
	seed(&agentv1.ConnectResponse{Body: &agentv1.ConnectResponse_Tables{Tables: &agentv1.LevelTables{Tables: []*agentv1.LevelTable{
		wire.FromTable(&gear.LevelTable{Params: []gear.TableParam{{Name: "n"}}, Rows: [][]gear.Value{{gear.Int(1)}}}),
	}}}})
	f.Fuzz(func(t *testing.T, b []byte) {
		var in agentv1.ConnectRequest
		if proto.Unmarshal(b, &in) == nil {
			if h, ps := wire.ToHello(in.GetHello()); len(ps) == 0 {
				again, ps := wire.ToHello(wire.FromHello(&h))
				require.NoError(t, ps.Err())
				require.Equal(t, wire.FromHello(&h).String(), wire.FromHello(&again).String())
			}
			_, _ = wire.ToAck(in.GetAck())
			if r, ps := wire.ToReport(in.GetReport()); len(ps) == 0 {
				_, ps := wire.ToReport(wire.FromReport(&r))
				require.NoError(t, ps.Err())
			}
		}
		var out agentv1.ConnectResponse
		if proto.Unmarshal(b, &out) == nil {
			if s, ps := wire.ToOrderSet(out.GetOrders()); len(ps) == 0 {
				_, ps := wire.ToOrderSet(wire.FromOrderSet(&s))
				require.NoError(t, ps.Err())
			}
			for _, x := range out.GetTables().GetTables() {
				if table, ps := wire.ToTable(x); len(ps) == 0 {
					_, ps := wire.ToTable(wire.FromTable(&table))
					require.NoError(t, ps.Err())
				}
			}
		}
	})
}
