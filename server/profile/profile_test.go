package profile_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/sketch"
	"github.com/allspark/allspark/server/allocation"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/profile"
)

const good = `level,class,share,p50,p99,work,effect,output,cap,samples
1,light,0.8,2,5,1,0.5,100,200,1000
1,heavy,0.2,6,20,3,1.5,100,200,300
2,light,0.8,4,9,2,0.9,150,300,900
2,heavy,0.2,9,33,5,1.9,150,300,
`

func TestCSV(t *testing.T) {
	classes, levels, problems := profile.ParseCSV(strings.NewReader("\ufeff" + good))
	require.Empty(t, problems)
	require.Equal(t, []allocation.Class{{Name: "light", Share: 0.8}, {Name: "heavy", Share: 0.2}}, classes)
	require.Len(t, levels, 2)
	require.Equal(t, []allocation.Quantile{{Q: 0.5, MS: 9}, {Q: 0.99, MS: 33}}, levels[1].RT[1])
	require.InDelta(t, 0.8*1+0.2*3, levels[0].Work, 1e-9, "work is the mean over the classes")
	require.EqualValues(t, 1300, levels[0].Samples)

	classes, levels, problems = profile.ParseCSV(strings.NewReader("level,rt_ms,work,effect\n1,3,1,1\n2,5,2,2\n"))
	require.Empty(t, problems)
	require.Equal(t, []allocation.Class{{Name: "all", Share: 1}}, classes)
	require.Len(t, levels, 2)
}

func TestCSVProblemsHavePlaces(t *testing.T) {
	for name, c := range map[string]struct {
		text         string
		line, column int
		says         string
	}{
		"empty":          {"", 1, 1, "empty"},
		"unknown column": {"level,p50,work,effect,speed\n", 1, 23, `"speed" is no column`},
		"no effect":      {"level,p50,work\n", 1, 1, "effect is missing"},
		"negative RT":    {"level,p50,work,effect\n1,-3,1,1\n", 2, 3, "negative"},
		"NaN":            {"level,p50,work,effect\n1,NaN,1,1\n", 2, 3, "finite"},
		"no number":      {"level,p50,work,effect\n1,3,one,1\n", 2, 5, `got "one"`},
		"level":          {"level,p50,work,effect\n1.5,3,1,1\n", 2, 1, "level wants"},
		"twice":          {"level,p50,work,effect\n1,3,1,1\n1,4,1,1\n", 3, 1, "twice"},
		"gap":            {"level,p50,work,effect\n1,3,1,1\n3,4,1,1\n", 1, 1, "level 2 is missing"},
		"class gap":      {"level,class,p50,work,effect\n1,a,3,1,1\n1,b,3,1,1\n2,a,4,1,1\n", 1, 1, "no row for class"},
		"falling":        {"level,p50,p99,work,effect\n1,3,2,1,1\n", 2, 1, "falls"},
		"cells":          {"level,p50,work,effect\n1,3\n", 2, 1, "2 cells for 4"},
		"quote":          {"level,p50,work,effect\n1,\"3,1,1\n", 2, 0, ""},
		"no RT":          {"level,p50,work,effect\n1,,1,1\n", 2, 1, "no percentile"},
		"shares":         {"level,class,share,p50,work,effect\n1,a,0.5,3,1,1\n2,a,0.6,3,1,1\n", 3, 1, "share of 0.6"},
	} {
		_, levels, problems := profile.ParseCSV(strings.NewReader(c.text))
		require.Nil(t, levels, name)
		require.NotEmpty(t, problems, name)
		require.Equal(t, c.line, problems[0].Line, "%s: %v", name, problems)
		if c.column > 0 {
			require.Equal(t, c.column, problems[0].Column, "%s: %v", name, problems)
		}
		require.Contains(t, problems[0].Message, c.says, name)
	}
}

func TestEveryLineIsJudgedAndEachFaultSaidOnce(t *testing.T) {
	_, levels, problems := profile.ParseCSV(strings.NewReader("level,p50,work,effect,class\n1,2,1,1,a\n1,-2,1,1,b\nx,3,NaN,1,a\n2,3,1\n2,3,1,nought,b\n"))
	require.Nil(t, levels)
	var got []string
	for _, p := range problems {
		got = append(got, fmt.Sprintf("%d:%d %s", p.Line, p.Column, p.Message))
	}
	require.Equal(t, []string{
		"3:3 the RT is negative, -2 ms", `4:1 level wants a number, got "x"`, "4:5 work wants a finite number, got NaN",
		"5:1 the line has 3 cells for 5 columns", `6:7 effect wants a number, got "nought"`,
	}, got)
}

func TestJSON(t *testing.T) {
	text := `{"classes": [{"name": "light", "share": 0.8}, {"name": "heavy", "share": 0.2}],
 "levels": [
  {"level": 1, "class": "light", "p50": 2, "p99": 5, "work": 1, "effect": 0.5, "output": 100, "cap": 200, "samples": 1000},
  {"level": 1, "class": "heavy", "p50": 6, "p99": 20, "work": 3, "effect": 1.5, "output": 100, "cap": 200, "samples": 300},
  {"level": 2, "class": "light", "p50": 4, "p99": 9, "work": 2, "effect": 0.9, "output": 150, "cap": 300, "samples": 900},
  {"level": 2, "class": "heavy", "p50": 9, "p99": 33, "work": 5, "effect": 1.9, "output": 150, "cap": 300}]}`
	classes, levels, problems := profile.ParseJSON(strings.NewReader(text))
	require.Empty(t, problems)
	wantClasses, want, _ := profile.ParseCSV(strings.NewReader(good))
	require.Equal(t, wantClasses, classes)
	require.Equal(t, want, levels)

	_, _, problems = profile.ParseJSON(strings.NewReader(strings.Replace(text, `"p50": 4`, `"p50": -4`, 1)))
	require.Equal(t, 5, problems[0].Line)
	require.Equal(t, 41, problems[0].Column)
	_, _, problems = profile.ParseJSON(strings.NewReader(`{"levels": [{"level": 1, "colour": 3}]}`))
	require.Contains(t, problems[0].Message, "colour")
	_, _, problems = profile.ParseJSON(strings.NewReader(`{"levels": `))
	require.NotEmpty(t, problems)
	_, _, problems = profile.ParseJSON(strings.NewReader(`[]`))
	require.NotEmpty(t, problems)
}

func FuzzParse(f *testing.F) {
	f.Add(good)
	f.Add(`{"levels": [{"level": 1, "p50": 2, "work": 1, "effect": 1}]}`)
	f.Add("level,p50,work,effect\n1,1e308,1,1\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, parse := range []func() ([]allocation.Class, []profile.Level, gear.Problems){
			func() ([]allocation.Class, []profile.Level, gear.Problems) {
				return profile.ParseCSV(strings.NewReader(text))
			},
			func() ([]allocation.Class, []profile.Level, gear.Problems) {
				return profile.ParseJSON(strings.NewReader(text))
			},
		} {
			classes, levels, problems := parse()
			if len(problems) > 0 {
				continue
			}
			p := &profile.Profile{Key: profile.Key{App: "a", Point: "p", Scene: "*"}, Source: profile.Uploaded, Classes: classes, Levels: levels}
			if len(p.Check()) > 0 {
				continue
			}
			if point, bad := p.AsPoint(classes); bad == nil && len(point.Levels) != len(levels) {
				t.Fatal("levels were lost")
			}
		}
	})
}

func TestWarningsAndProblems(t *testing.T) {
	p := &profile.Profile{Key: profile.Key{App: "sn", Point: "recall", Scene: "k2"}, Source: profile.Uploaded, Classes: []allocation.Class{{Name: "all", Share: 1}}}
	for _, ms := range []float64{4, 3} {
		p.Levels = append(p.Levels, profile.Level{RT: [][]allocation.Quantile{{{Q: 0.5, MS: ms}}}, Effect: ms, Work: ms})
	}
	require.Empty(t, p.Check())
	w := p.Warnings()
	require.Len(t, w, 3)
	require.Contains(t, w[0].Message, "the effect falls from 4 at level 1 to 3 at level 2")

	for says, spoil := range map[string]func(*profile.Profile){
		"no percentile": func(p *profile.Profile) { p.Levels[0].RT[0] = nil },
		"is missing":    func(p *profile.Profile) { p.Levels[1] = profile.Level{} },
		"is NaN":        func(p *profile.Profile) { p.Levels[0].Effect = math.NaN() },
		"the RT is NaN": func(p *profile.Profile) { p.Levels[0].RT[0] = []allocation.Quantile{{Q: 0.5, MS: math.NaN()}} },
		"not a name":    func(p *profile.Profile) { p.App = "a b" },
		"cap falls":     func(p *profile.Profile) { p.Levels[0].Cap = 5 },
		"not to 1":      func(p *profile.Profile) { p.Classes[0].Share = 0.2 },
		"source":        func(p *profile.Profile) { p.Source = "" },
	} {
		q := *p
		q.Classes = []allocation.Class{{Name: "all", Share: 1}}
		q.Levels = nil
		for _, l := range p.Levels {
			l.RT = [][]allocation.Quantile{l.RT[0]}
			q.Levels = append(q.Levels, l)
		}
		spoil(&q)
		require.Contains(t, q.Check().Error(), says)
	}
}

func encoded(us ...uint64) []byte {
	var s sketch.Sum
	for _, v := range us {
		s.Record(v, 100)
	}
	return s.AppendTo(nil)
}

func TestLearner(t *testing.T) {
	l := profile.NewLearner()
	now := time.Date(2026, 11, 11, 0, 0, 0, 0, time.UTC)
	key := profile.Key{App: "sn", Point: "recall", Scene: "k2", Table: "t"}
	see := func(level int, class string, us uint64, at time.Time) {
		require.True(t, l.Observe(profile.Observation{
			Key: key, Class: class, Level: level, Of: 5, Count: 500, RT: encoded(us, us, us, 2*us, 3*us),
			Work: 500 * float64(level), Effect: 500 * math.Sqrt(float64(level)), Taken: 5000 * float64(level), Output: 4000 * float64(level), At: at,
		}))
	}
	_, ok := l.Profile(key, nil)
	require.False(t, ok)
	for _, level := range []int{2, 4} {
		see(level, "light", uint64(1000*level), now)
		see(level, "heavy", uint64(5000*level), now)
	}
	p, ok := l.Profile(key, nil)
	require.True(t, ok)
	require.Empty(t, p.Check())
	require.Len(t, p.Levels, 5)
	require.EqualValues(t, 2000, p.Samples())
	require.Zero(t, p.Levels[2].Samples, "nobody ran at level 3")
	require.InDelta(t, 3, p.Levels[2].Work, 1e-9, "it lies between its neighbours")
	require.InDelta(t, 3, p.Levels[2].RT[0][3].MS, 0.05)
	require.InDelta(t, 5, p.Levels[4].Work, 1e-9, "beyond, on the same line")
	require.InDelta(t, 1, p.Levels[0].Work, 1e-9)
	require.InDelta(t, 40, p.Levels[3].Cap, 1e-9)
	stale, _ := p.Stale("t", now.Add(time.Hour))
	require.False(t, stale)
	stale, why := p.Stale("other", now)
	require.True(t, stale)
	require.Contains(t, why, "another level table")
	stale, why = p.Stale("t", now.Add(48*time.Hour))
	require.True(t, stale)
	require.Contains(t, why, "48h0m0s old")

	// A day later the point has become twice as slow: four half-lives leave a
	// sixteenth of what was.
	for h := range 4 {
		at := now.Add(time.Duration(h+1) * profile.HalfLife)
		for _, level := range []int{2, 4} {
			see(level, "light", uint64(2000*level), at)
			see(level, "heavy", uint64(10000*level), at)
		}
	}
	p, ok = l.Profile(key, nil)
	require.True(t, ok)
	require.InDelta(t, 4, p.Levels[1].RT[0][3].MS, 0.1)

	require.False(t, l.Observe(profile.Observation{Key: key, Level: 9, Of: 5, Count: 1}))
	require.False(t, l.Observe(profile.Observation{Key: key, Level: 1, Of: 5, Count: 1, Work: math.Inf(1)}))
	require.False(t, l.Observe(profile.Observation{Key: key, Class: "light", Level: 1, Of: 5, Count: 1, RT: []byte{9, 9}}))
	require.EqualValues(t, 3, l.Dropped())
	require.Equal(t, []profile.Key{key}, l.Keys())
	l.Forget(now.Add(1000 * time.Hour))
	require.Empty(t, l.Keys())
}

// What no machine can have done is not added up: infinite sums would never age.
func TestLearnerRefusesWhatCannotBe(t *testing.T) {
	l := profile.NewLearner()
	key := profile.Key{App: "sn", Point: "recall", Scene: "k2", Table: "t"}
	good := profile.Observation{Key: key, Class: "light", Level: 1, Of: 2, Count: 500, Worked: 500, Work: 1, Effect: -1, Taken: 1, TakenMax: 1, Output: 1, RT: encoded(1000, 1000)}
	for i, bend := range []func(*profile.Observation){
		func(o *profile.Observation) { o.Work = 1e308 },
		func(o *profile.Observation) { o.Work = -1 },
		func(o *profile.Observation) { o.Effect = -1e300 },
		func(o *profile.Observation) { o.Value = math.NaN() },
		func(o *profile.Observation) { o.Taken = -5 },
		func(o *profile.Observation) { o.TakenMax = math.Inf(1) },
		func(o *profile.Observation) { o.Output = 1e18 },
		func(o *profile.Observation) { o.Count = math.MaxInt64 },
		func(o *profile.Observation) { o.Worked = math.MaxInt64 },
	} {
		o := good
		bend(&o)
		require.False(t, l.Observe(o), i)
	}
	require.True(t, l.Observe(good))
}

func TestLearnerIsBounded(t *testing.T) {
	l := profile.NewLearner()
	for i := range profile.MaxSeries + 10 {
		l.Observe(profile.Observation{Key: profile.Key{Point: fmt.Sprint(i)}, Level: 1, Of: 1, Count: 1})
	}
	require.Len(t, l.Keys(), profile.MaxSeries)
	require.EqualValues(t, 10, l.Dropped())
}

func TestBest(t *testing.T) {
	now := time.Now()
	of := func(scene, table string, s profile.Source, age time.Duration) *profile.Profile {
		return &profile.Profile{Key: profile.Key{App: "sn", Point: "recall", Scene: scene, Table: table}, Source: s, MeasuredAt: now.Add(-age)}
	}
	general, learnt := of("*", "", profile.Uploaded, time.Hour), of("k2", "t", profile.Learned, time.Hour)
	other, old := of("k2", "x", profile.Uploaded, 0), of("k2", "t", profile.Learned, 100*time.Hour)
	all := []*profile.Profile{general, other, old, learnt}
	require.Equal(t, learnt, profile.Best(all, "sn", "recall", "k2", "t", now))
	require.Equal(t, general, profile.Best(all, "sn", "recall", "k9", "t", now))
	require.Equal(t, other, profile.Best(all, "sn", "recall", "k2", "", now), "uploaded before learnt when no table is known")
	require.Nil(t, profile.Best(all, "sn", "rank", "k2", "t", now))
}

func TestService(t *testing.T) {
	now := time.Date(2026, 11, 11, 0, 0, 0, 0, time.UTC)
	nudges := 0
	db := emptyStore(t)
	s := profile.NewService(db, func() time.Time { return now }, func() { nudges++ })
	u := profile.Upload{Key: profile.Key{App: "sn", Point: "recall"}, Format: profile.CSV}
	p, warnings, err := s.Upload(t.Context(), u, strings.NewReader(good), audit.Change{Actor: "ann"})
	require.NoError(t, err)
	require.Empty(t, warnings)
	require.Equal(t, gear.Any, p.Scene)
	require.Equal(t, now, p.MeasuredAt)
	require.Equal(t, "ann", p.CreatedBy)
	require.Equal(t, 1, nudges)
	u.Version = 1
	_, warnings, err = s.Upload(t.Context(), u, strings.NewReader(strings.ReplaceAll(good, ",0.9,", ",0.1,")), audit.Change{Actor: "bob"})
	require.NoError(t, err)
	require.Len(t, warnings, 1, "the effect falls with the level: allowed, and said")
	_, _, err = s.Upload(t.Context(), u, strings.NewReader(good), audit.Change{Actor: "ann"})
	require.Equal(t, fault.Stale, fault.CodeOf(err))
	_, _, err = s.Upload(t.Context(), u, strings.NewReader("x"), audit.Change{})
	require.Equal(t, fault.Invalid, fault.CodeOf(err))
	u.Format = "xml"
	_, problems, _ := s.Judge(u, strings.NewReader(good))
	require.NotEmpty(t, problems)

	learnt := &profile.Profile{Key: p.Key, Source: profile.Learned, Classes: p.Classes, Levels: p.Levels, MeasuredAt: now}
	require.NoError(t, s.Learn(t.Context(), learnt, audit.Change{Actor: "system:profile"}))
	again := &profile.Profile{Key: p.Key, Source: profile.Learned, Classes: p.Classes, Levels: p.Levels, MeasuredAt: now}
	require.NoError(t, s.Learn(t.Context(), again, audit.Change{Actor: "system:profile"}))
	require.Equal(t, learnt.ID, again.ID)
	require.EqualValues(t, 2, again.Version)
	require.NoError(t, s.Delete(t.Context(), again.ID, 2, audit.Change{Actor: "ann"}))
	all, _, err := s.List(t.Context(), profile.Filter{})
	require.NoError(t, err)
	require.Len(t, all, 1)
}
