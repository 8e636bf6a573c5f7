package agent_test

import (
	"hash/maphash"
	"log/slog"
	"math"
	"math/bits"
	"math/rand/v2"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/agent"
	"github.com/allspark/allspark/agent/agenttest"
)

// The base of the hot path: what any agent must do at the least for a request.
// It loads a snapshot, finds the scene, hashes the user, adds twice and counts
// the response time in a bucket.

type baseScene struct {
	level [16]int32
	split uint32
}

type basePoint struct {
	scenes  map[string]*baseScene
	cost, n atomic.Int64
	_       [48]byte
	buckets [2048]atomic.Uint32
}

type baseSnapshot struct{ points []*basePoint }

type base struct {
	snapshot atomic.Pointer[baseSnapshot]
	seed     maphash.Seed
}

func newBase(scenes []string) *base {
	p := &basePoint{scenes: map[string]*baseScene{}}
	for i, name := range scenes {
		s := &baseScene{split: 1 << 28}
		for k := range s.level {
			s.level[k] = int32(i + k)
		}
		p.scenes[name] = s
	}
	b := &base{seed: maphash.MakeSeed()}
	b.snapshot.Store(&baseSnapshot{points: []*basePoint{p}})
	return b
}

func (b *base) request(point int, r *benchRequest) int32 {
	p := b.snapshot.Load().points[point]
	s := p.scenes[r.scene]
	level := s.level[int(r.value)&15]
	if uint32(maphash.String(b.seed, r.key)) < s.split {
		level = 0
	}
	p.cost.Add(int64(r.load))
	p.n.Add(1)
	us := uint64(r.elapsed) / 1000
	i := us
	if us >= 64 {
		e := uint(bits.Len64(us)) - 7
		i = min(uint64(e)<<6+us>>e, uint64(len(p.buckets)-1))
	}
	p.buckets[i].Add(1)
	return level
}

type benchRequest struct {
	scene       string
	handle      agent.Scene
	key         string
	load, value float64
	elapsed     time.Duration
}

var sink atomic.Int64

func benchRequests(ag *agent.Agent, scenes []string) []benchRequest {
	rng := rand.New(rand.NewPCG(1, 2))
	out := make([]benchRequest, 4096)
	for i := range out {
		s := scenes[rng.IntN(len(scenes))]
		out[i] = benchRequest{
			scene: s, handle: ag.Scene(s), key: "u" + strconv.Itoa(1_000_000+rng.IntN(9_000_000)),
			load: float64(1 + rng.IntN(100)), value: float64(rng.IntN(10)),
			elapsed: time.Duration(20e6 * math.Exp(rng.NormFloat64())),
		}
	}
	return out
}

// cpuTime is what the process has used, user and system: the steadier figure on a
// machine that others use too.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// crowdPoint is a point whose levels a crowd loop decides.
func crowdPoint(b *testing.B) (*agent.Point, *agent.IntParam) {
	c := agenttest.NewController(agenttest.Options{})
	b.Cleanup(c.Close)
	ag := c.NewAgent(agent.Config{App: "bench", IDC: "local", Log: slog.New(slog.DiscardHandler)})
	p := ag.Point("recall")
	tags := p.Int("tag_count").Range(10, 200).Default(100)
	require.NoError(b, ag.Start(b.Context()))
	b.Cleanup(func() { _ = ag.Close() })
	c.Levels("recall", rows(20)...)
	_, err := c.WaitAck(b.Context(), c.SetCrowds("*", "recall", 20, 8*time.Millisecond))
	require.NoError(b, err)
	return p, tags
}

// BenchmarkDecide measures one request: decide, read a parameter, report.
func BenchmarkDecide(b *testing.B) {
	scenes := []string{"home", "search", "detail", "checkout"}
	ag := agent.New(agent.Config{App: "bench", IDC: "local"})
	point := ag.Point("recall")
	tags := point.Int("tag_count").Range(10, 200).Default(100)
	requests := benchRequests(ag, scenes)
	plain := newBase(scenes)
	crowds, crowdTags := crowdPoint(b)

	ops := []struct {
		name string
		op   func(r *benchRequest) int64
	}{
		{"base", func(r *benchRequest) int64 { return int64(plain.request(0, r)) }},
		{"agent", func(r *benchRequest) int64 {
			d := point.Begin(r.handle, agent.Request{Load: r.load, Value: r.value, Key: r.key})
			n := tags.Get(&d)
			d.End(agent.Result{Elapsed: r.elapsed, Outcome: agent.OK})
			return n
		}},
		{"crowds", func(r *benchRequest) int64 {
			d := crowds.Begin(r.handle, agent.Request{Load: r.load, Value: r.value, Key: r.key})
			n := crowdTags.Get(&d)
			d.End(agent.Result{Elapsed: r.elapsed, Outcome: agent.OK})
			return n
		}},
	}
	for _, o := range ops {
		b.Run(o.name+"/serial", func(b *testing.B) {
			b.ReportAllocs()
			began := cpuTime()
			var sum int64
			for i := 0; b.Loop(); i++ {
				sum += o.op(&requests[i&4095])
			}
			sink.Add(sum)
			b.ReportMetric(float64(cpuTime()-began)/float64(b.N), "cpu-ns/op")
		})
		b.Run(o.name+"/parallel", func(b *testing.B) {
			b.ReportAllocs()
			began := cpuTime()
			var start atomic.Int64
			b.RunParallel(func(pb *testing.PB) {
				i := int(start.Add(997))
				var sum int64
				for ; pb.Next(); i++ {
					sum += o.op(&requests[i&4095])
				}
				sink.Add(sum)
			})
			b.ReportMetric(float64(cpuTime()-began)/float64(b.N), "cpu-ns/op")
		})
	}
}
