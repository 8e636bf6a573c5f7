package lab

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUserValueHasMeanOneAndFollowsLoad(t *testing.T) {
	w := NewWorkload(WorkloadConfig{Trace: Conversation(), Rate: 20, Seed: 1})
	var n, sum, cross, lnv2, lnl2 float64
	var values []float64
	for _, a := range collect(w, 1800e9) {
		v := userValue(a.zl, draw(9, a.Key))
		lv := math.Log(v) + valueSD*valueSD/2
		n++
		sum += v
		values = append(values, v)
		cross += lv * a.zl
		lnv2 += lv * lv
		lnl2 += a.zl * a.zl
	}
	// Half a turn of the trace does not weigh its parts alike, and the trace's
	// loads are not quite log-normal: mean 1 holds to a few per cent.
	require.InDelta(t, 1, sum/n, 0.06)
	require.InDelta(t, valueLoad, cross/math.Sqrt(lnv2*lnl2), 0.03)

	slices.Sort(values)
	best := 0.0
	for _, v := range values[len(values)*9/10:] {
		best += v
	}
	require.InDelta(t, 0.47, best/sum, 0.04, "the best tenth of users")
}

// What the comments beside the constants claim of the predictor.
func TestLoadExplainsMostOfTheDemand(t *testing.T) {
	m := Standard(1)
	for _, point := range []int{Recall, Rank} {
		p := &m.Points[point]
		x := m.Defaults(point)[0]
		var n, sum, squares float64
		for i := range Conversation().At {
			l := Conversation().Load(i) / Conversation().MeanLoad
			ln := math.Log(float64(p.Fixed) + float64(p.PerLoad)*l + float64(p.Slope)*x*l)
			n++
			sum += ln
			squares += ln * ln
		}
		known := squares/n - sum*sum/n/n
		share := known / (known + workNoise*workNoise)
		require.Greater(t, share, 0.8, p.Name)
		require.Less(t, share, 0.9, p.Name)
	}
}

func TestLogNormalTableHasMeanOne(t *testing.T) {
	sum := 0.0
	for _, x := range logNormal(0.7) {
		sum += x
	}
	require.InDelta(t, normalCells, sum, 1e-6)
	require.InDelta(t, 0, normal[normalCells/2]+normal[normalCells/2-1], 1e-12)
	require.InDelta(t, 1.2816, normal[normalCells*9/10], 2e-3)
}

func TestValueIsConcaveInWork(t *testing.T) {
	e := engine(1, Free{})
	for p := range e.model.Points {
		if e.model.Points[p].Weight == 0 {
			continue
		}
		top, _ := e.model.Points[p].Params[0].Max.Number()
		require.InDelta(t, e.model.Points[p].Weight, e.gain(p, top), 1e-12)
		last := math.Inf(1)
		for x := top / 10; x <= top; x += top / 10 {
			step := e.gain(p, x) - e.gain(p, x-top/10)
			require.Positive(t, step)
			require.Less(t, step, last)
			last = step
		}
	}
	sum := 0.0
	for _, p := range e.model.Points {
		sum += p.Weight
	}
	require.InDelta(t, 1, sum, 1e-12, "a full answer is worth 1")
}

func TestWorkThatIsCutOffEarnsNothing(t *testing.T) {
	e := engine(1, Free{})
	r := &request{}
	r.amount[Recall], r.quality[Recall], r.output[Recall] = 100, 1, 600
	e.earn(r, Recall)
	full := r.worth
	r.amount[Prerank], r.quality[Prerank] = 300, 1
	e.earn(r, Prerank)
	require.InDelta(t, e.gain(Recall, 50)+e.gain(Prerank, 300), r.worth, 1e-9, "half of recall's work was used")
	require.Less(t, e.gain(Recall, 50), full)
	require.InDelta(t, 50, r.cut, 1e-4)
}

func TestBadReadingsDoNoScalableWork(t *testing.T) {
	for _, x := range []float64{math.NaN(), -5, 0, math.Inf(-1)} {
		e := engine(20, &tags{n: x})
		if x == 0 {
			e = engine(20, Free{})
			e.defaults[Recall][0] = 0
		}
		e.Run(20*second, math.MaxInt)
		s := e.Tally.Scenes[0]
		require.Greater(t, s.Outcomes[OK], int64(500))
		require.False(t, math.IsNaN(s.Value))
	}
}

func TestEngineAllocatesNothingPerRequest(t *testing.T) {
	e := engine(40, Free{})
	e.Run(120*second, math.MaxInt)
	require.Less(t, testing.AllocsPerRun(20, func() { e.Run(e.Now()+second, math.MaxInt) }), 1.0)
}
