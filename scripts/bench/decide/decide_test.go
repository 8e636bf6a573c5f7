package decide

import (
	"context"
	"hash/maphash"
	"math"
	"math/bits"
	"math/rand/v2"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/agent"
	"github.com/allspark/allspark/agent/agenttest"
	"github.com/allspark/allspark/scripts/bench/cpu"
)

type request struct {
	scene       int
	name        string
	key         string
	load, value float64
	us          uint64
}

var sceneNames = [4]string{"home", "search", "detail", "checkout"}

// requests are 4,096 of them: four scenes, users, response times with a median
// of 20 ms and a heavy tail.
var requests = func() []request {
	rng := rand.New(rand.NewPCG(1, 2))
	out := make([]request, 4096)
	for i := range out {
		scene := rng.IntN(len(sceneNames))
		out[i] = request{
			scene: scene, name: sceneNames[scene],
			key:  "u" + strconv.Itoa(1_000_000+rng.IntN(9_000_000)),
			load: float64(1 + rng.IntN(100)), value: float64(rng.IntN(10)),
			us: uint64(20e3 * math.Exp(rng.NormFloat64())),
		}
	}
	return out
}()

// base is the least that does the job at one resolved point: load a snapshot, find
// the scene by its name, choose by user value and by the hash of the user, add
// twice, count the response time in a bucket.
type base struct {
	now     atomic.Pointer[baseOrders]
	seed    maphash.Seed
	_       [64]byte
	load, n atomic.Int64
	_       [48]byte
	rt      [26 * 64]atomic.Uint32
}

type baseOrders struct {
	scenes map[string]*baseScene
}

type baseScene struct {
	level [16]int64 // by class of user value
	other int64
	split uint32 // users below get the other level
}

func (b *base) request(r *request) int64 {
	o := b.now.Load().scenes[r.name]
	level := o.level[int(r.value)&15]
	if uint32(maphash.String(b.seed, r.key)) < o.split {
		level = o.other
	}
	b.load.Add(int64(r.load))
	b.n.Add(1)
	shift := bits.Len64(r.us >> 7)
	b.rt[min(r.us>>shift+uint64(shift)<<6, uint64(len(b.rt)-1))].Add(1)
	return level
}

var sink atomic.Int64

func BenchmarkDecide(b *testing.B) {
	b.Run("ours", func(b *testing.B) {
		c := agenttest.NewController(agenttest.Options{})
		defer c.Close()
		ag := c.NewAgent(agent.Config{App: "sn", IDC: "et2"})
		point := ag.Point("recall")
		tags := point.Int("tag_count").Range(10, 200).Default(100)
		require.NoError(b, ag.Start(context.Background()))
		defer ag.Close()
		c.Levels("recall", agenttest.Row{"tag_count": 50}, agenttest.Row{"tag_count": 150})
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_, err := c.WaitAck(ctx, c.SetLevel("*", "recall", 2))
		require.NoError(b, err)
		var scenes [4]agent.Scene
		for i, name := range sceneNames {
			scenes[i] = ag.Scene(name)
		}
		op := func(r *request) int64 {
			d := point.Begin(scenes[r.scene&3], agent.Request{Load: r.load, Value: r.value, Key: r.key})
			n := tags.Get(&d)
			d.End(agent.Result{Elapsed: time.Duration(r.us) * time.Microsecond, Outcome: agent.OK})
			return n
		}
		require.EqualValues(b, 150, op(&requests[0]), "the order is in force")
		both(b, op)
	})
	b.Run("base", func(b *testing.B) {
		s := &base{seed: maphash.MakeSeed()}
		o := &baseOrders{scenes: map[string]*baseScene{}}
		for _, name := range sceneNames {
			scene := &baseScene{other: 50, split: 1 << 28}
			for class := range scene.level {
				scene.level[class] = int64(150 + class)
			}
			o.scenes[name] = scene
		}
		s.now.Store(o)
		both(b, s.request)
	})
}

func both(b *testing.B, op func(*request) int64) {
	b.Run("serial", func(b *testing.B) {
		cpu.Loop(b, func(n int) {
			var sum int64
			for i := range n {
				sum += op(&requests[i&4095])
			}
			sink.Add(sum)
		})
	})
	b.Run("parallel", func(b *testing.B) {
		cpu.Parallel(b, func(i int) { op(&requests[i&4095]) })
	})
}
