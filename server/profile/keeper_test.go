package profile_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/allocation"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/profile"
	"github.com/allspark/allspark/server/store"
)

func emptyStore(t *testing.T) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "a.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	require.NoError(t, db.Migrate(t.Context()))
	return db
}

// Two levels are seen of five, one class of them at another: the rest keeps what
// was known, moved as far as its neighbours.
func TestTheKeeperPutsNewsOverWhatWasKnown(t *testing.T) {
	now := time.Date(2026, 11, 11, 0, 0, 0, 0, time.UTC)
	db := emptyStore(t)
	clock := func() time.Time { return now }
	s := profile.NewService(db, clock, nil)
	key := profile.Key{App: "sn", Point: "recall", Scene: "k2", Table: "t"}
	see := func(l *profile.Learner, level int, class string, us uint64, cap float64) {
		for i := range 2000 { // five hours and a half: trusted to 98 %
			require.True(t, l.Observe(profile.Observation{
				Key: key, Class: class, Level: level, Of: 5, Count: 5, RT: encoded(us, us, us, 2*us, 3*us), Value: 0.5,
				Worked: 4, Work: 4 * float64(us) / 2000, Effect: 0.4 * float64(level), Taken: 4 * cap, TakenMax: 10 * float64(level), Output: 4,
				At: now.Add(time.Duration(i-1999) * 10 * time.Second),
			}))
		}
	}
	keep := func(l *profile.Learner) (int, *profile.Profile) {
		k := profile.NewKeeper(profile.KeeperConfig{Learner: l, Store: db, Service: s, Now: clock})
		n, err := k.Turn(t.Context())
		require.NoError(t, err)
		p, err := db.FindProfile(t.Context(), key, profile.Learned)
		require.NoError(t, err)
		return n, p
	}
	first := profile.NewLearner()
	n, p := keep(first)
	require.Zero(t, n)
	require.Nil(t, p)
	for level := 1; level <= 5; level++ {
		see(first, level, "light", uint64(1000*level), 10*float64(level))
		see(first, level, "heavy", uint64(4000*level), 10*float64(level))
	}
	n, p = keep(first)
	require.Equal(t, 1, n)
	require.EqualValues(t, 5*2*2000*5, p.Samples())
	require.InDelta(t, 0.1, p.Levels[0].Effect, 1e-9, "of what the app told, not of the value")
	require.InDelta(t, (0.5+2)/2, p.Levels[0].Work, 1e-9)
	n, _ = keep(first)
	require.Zero(t, n, "nothing moved")

	now = now.Add(time.Hour)
	later := profile.NewLearner() // as after a restart
	see(later, 2, "light", 4000, 20)
	see(later, 2, "heavy", 16000, 20)
	see(later, 4, "light", 4000, 30) // cut: three quarters of what it could take
	was := p
	n, p = keep(later)
	require.Equal(t, 1, n)
	require.InDelta(t, 4, p.Levels[1].RT[0][3].MS, 0.1, "as measured")
	require.InDelta(t, 2.0/3, p.Classes[0].Share, 1e-9)
	require.InDelta(t, 2*(1*2+4)/3.0, p.Levels[1].Work, 1e-9, "as measured, of what is light for the most part now")
	require.InDelta(t, was.Levels[3].RT[0][3].MS, p.Levels[3].RT[0][3].MS, 0.1)
	require.InDelta(t, p.Levels[1].Work/was.Levels[1].Work*was.Levels[3].Work, p.Levels[3].Work, 1e-9, "one class alone says nothing of the mean: it moves as level 2 did")
	require.InDelta(t, was.Levels[3].Effect, p.Levels[3].Effect, 1e-9, "the effect of level 2 is as it was")
	require.InDelta(t, was.Levels[2].RT[0][3].MS*1.414, p.Levels[2].RT[0][3].MS, 0.15, "half way between twice and as before")
	require.InDelta(t, 2*was.Levels[4].RT[1][3].MS, p.Levels[4].RT[1][3].MS, 2, "heavy was seen at level 2 alone")
	require.InDelta(t, 50, p.Levels[4].Cap, 1e-9)
	require.Empty(t, p.Check())
	require.Equal(t, now, p.MeasuredAt)

	takes, gives := later.Results("sn", "recall")
	require.True(t, takes)
	require.True(t, gives)
	takes, _ = later.Results("sn", "rank")
	require.False(t, takes)
}

// An edit makes another table with other levels: what was known of the old one says
// more of those nobody ran at than a line through the few that were seen, and an
// uploaded profile, with one class for all, as much.
func TestWhatIsKnownOfAnotherTableStandsIn(t *testing.T) {
	now := time.Date(2026, 11, 11, 0, 0, 0, 0, time.UTC)
	for _, source := range []profile.Source{profile.Learned, profile.Uploaded} {
		db := emptyStore(t)
		s := profile.NewService(db, func() time.Time { return now }, nil)
		key := profile.Key{App: "sn", Point: "recall", Scene: "k2", Table: "old"}
		old := &profile.Profile{Key: key, Source: source, MeasuredAt: now.Add(-time.Hour), Classes: []allocation.Class{{Name: "light", Share: 0.5}, {Name: "heavy", Share: 0.5}}}
		if source == profile.Uploaded {
			old.Classes = []allocation.Class{{Name: "all", Share: 1}}
		}
		for l := 1; l <= 5; l++ {
			v := profile.Level{Work: float64(l), Effect: 0.1 * float64(l), Cap: 100 * float64(l), Samples: 1000}
			for range old.Classes {
				v.RT = append(v.RT, []allocation.Quantile{{Q: 0.1, MS: 8 * float64(l)}, {Q: 0.9, MS: 12 * float64(l)}})
			}
			old.Levels = append(old.Levels, v)
		}
		require.NoError(t, s.Learn(t.Context(), old, audit.Change{Actor: "test"}))

		l := profile.NewLearner()
		key.Table = "new"
		for _, class := range []string{"light", "heavy"} {
			for i := range 2000 {
				require.True(t, l.Observe(profile.Observation{
					Key: key, Class: class, Level: 9, Of: 9, Count: 5, RT: encoded(60_000, 60_000), Worked: 5,
					Work: 5 * 6, Effect: 5 * 0.5, Taken: 5 * 300, TakenMax: 300, Output: 5 * 300, At: now.Add(time.Duration(i-1999) * 10 * time.Second),
				}))
			}
		}
		n, err := profile.NewKeeper(profile.KeeperConfig{Learner: l, Store: db, Service: s, Now: func() time.Time { return now }}).Turn(t.Context())
		require.NoError(t, err)
		require.Equal(t, 1, n)
		p, err := db.FindProfile(t.Context(), key, profile.Learned)
		require.NoError(t, err)
		require.Empty(t, p.Check())
		require.Len(t, p.Levels, 9)
		require.InDelta(t, 60, p.MeanRT(8), 1, "as measured")
		require.InDelta(t, 10, p.MeanRT(0), 0.2, "the old level 1: load that slows the top by a fifth hardly slows it")
		require.InDelta(t, 32, p.MeanRT(4), 0.5, "half way up lies the old level 3")
		require.InDelta(t, 1.2, p.Levels[0].Work, 1e-9)
		require.InDelta(t, 0.3, p.Levels[4].Effect, 1e-9)
		require.InDelta(t, 180, p.Levels[4].Cap, 1e-6, "the new table's top takes 300, not 500")
		require.Zero(t, p.Levels[0].Samples, "nobody ran at it in this table")
		require.InDelta(t, 0.5, p.Classes[1].Share, 1e-9)
	}
}

// Feedback passes through many levels while it turns an overload down, and each serves
// hundreds of requests out of the same queue: they say little of what the level
// takes, and the same few of them must not say it again at every turn.
func TestAnOverloadTeachesLittle(t *testing.T) {
	now := time.Date(2026, 11, 11, 0, 0, 0, 0, time.UTC)
	db := emptyStore(t)
	s := profile.NewService(db, func() time.Time { return now }, nil)
	key := profile.Key{App: "feature", Point: "fetch", Scene: "k2", Table: "t"}
	old := &profile.Profile{Key: key, Source: profile.Learned, MeasuredAt: now, Classes: []allocation.Class{{Name: "all", Share: 1}}}
	for l := 1; l <= 50; l++ {
		at := 30 + float64(l)
		old.Levels = append(old.Levels, profile.Level{Work: float64(l), Effect: float64(l), RT: [][]allocation.Quantile{{{Q: 0.1, MS: 0.8 * at}, {Q: 0.9, MS: 1.2 * at}}}, Samples: 1000})
	}
	require.NoError(t, s.Learn(t.Context(), old, audit.Change{Actor: "test"}))

	l := profile.NewLearner()
	k := profile.NewKeeper(profile.KeeperConfig{Learner: l, Store: db, Service: s, Now: func() time.Time { return now }})
	see := func(level, us int, requests int64) {
		require.True(t, l.Observe(profile.Observation{Key: key, Class: "all", Level: level, Of: 50, Count: requests, RT: encoded(uint64(us)), At: now}))
		now = now.Add(10 * time.Second)
	}
	for range 3 { // half a minute at level 33 in a queue of a second and a half
		see(33, 1_500_000, 300)
	}
	for turn := range 18 { // and hours at level 20 as it was known
		for range 60 {
			see(20, 50_000, 100)
		}
		_, err := k.Turn(t.Context())
		require.NoError(t, err)
		p, err := db.FindProfile(t.Context(), key, profile.Learned)
		require.NoError(t, err)
		require.InDelta(t, 31, p.MeanRT(0), 3, "turn %d", turn)
		require.InDelta(t, 50, p.MeanRT(19), 2, "turn %d", turn)
		require.InDelta(t, 63, p.MeanRT(32), 16, "turn %d", turn)
		require.InDelta(t, 80, p.MeanRT(49), 20, "turn %d", turn)
	}
	for range 2000 { // truly slower from now on: level 33 learns it, and those near it do
		see(33, 126_000, 100)
	}
	_, err := k.Turn(t.Context())
	require.NoError(t, err)
	p, err := db.FindProfile(t.Context(), key, profile.Learned)
	require.NoError(t, err)
	require.InDelta(t, 126, p.MeanRT(32), 12)
	require.InDelta(t, 160, p.MeanRT(49), 20)
	require.InDelta(t, 50, p.MeanRT(19), 2)
}

// Hours at a level whose machines are nearly full: it takes five times as long as was
// known, and a level with a third of its work does not, for it would leave them idle.
func TestLoadAtAHighLevelSaysLittleOfALowOne(t *testing.T) {
	now := time.Date(2026, 11, 11, 0, 0, 0, 0, time.UTC)
	key := profile.Key{App: "feature", Point: "fetch", Scene: "k2", Table: "t"}
	old := &profile.Profile{Key: key, Source: profile.Learned, MeasuredAt: now, Classes: []allocation.Class{{Name: "all", Share: 1}}}
	for l := 1; l <= 50; l++ {
		old.Levels = append(old.Levels, profile.Level{Work: 10 + float64(l), RT: [][]allocation.Quantile{{{Q: 0.1, MS: 24}, {Q: 0.9, MS: 36}}}})
	}
	l := profile.NewLearner()
	for i := range 2000 {
		require.True(t, l.Observe(profile.Observation{Key: key, Class: "all", Level: 33, Of: 50, Count: 100, RT: encoded(140_000), At: now.Add(time.Duration(i) * 10 * time.Second)}))
	}
	p, ok := l.Profile(key, old)
	require.True(t, ok)
	require.InDelta(t, 140, p.MeanRT(32), 5)
	require.InDelta(t, 140, p.MeanRT(49), 5, "at least as busy")
	require.Less(t, p.MeanRT(0), 35.0)
	require.Less(t, p.MeanRT(15), 60.0)
}

// sick is a store that cannot read the profile of one app.
type sick struct {
	profile.Store
	app string
}

func (s sick) FindProfile(ctx context.Context, k profile.Key, source profile.Source) (*profile.Profile, error) {
	if k.App == s.app {
		return nil, errors.New("damaged")
	}
	return s.Store.FindProfile(ctx, k, source)
}

func TestOneBadProfileKeepsNoOtherFromBeingSaved(t *testing.T) {
	now := time.Date(2026, 11, 11, 0, 0, 0, 0, time.UTC)
	db := emptyStore(t)
	clock := func() time.Time { return now }
	l := profile.NewLearner()
	for _, app := range []string{"aa", "bb", "cc"} {
		scene := "k2"
		if app == "bb" {
			scene = "not a name" // what it makes is no valid profile
		}
		require.True(t, l.Observe(profile.Observation{
			Key: profile.Key{App: app, Point: "recall", Scene: scene, Table: "t"}, Class: "all", Level: 1, Of: 2, Count: 1000, RT: encoded(1000, 1000, 2000), Value: 1, At: now,
		}))
	}
	k := profile.NewKeeper(profile.KeeperConfig{Learner: l, Store: sick{db, "aa"}, Service: profile.NewService(db, clock, nil), Now: clock})
	n, err := k.Turn(t.Context())
	require.Equal(t, 1, n)
	require.ErrorContains(t, err, "aa/recall in k2: damaged")
	require.ErrorContains(t, err, "bb/recall")
	p, err := db.FindProfile(t.Context(), profile.Key{App: "cc", Point: "recall", Scene: "k2", Table: "t"}, profile.Learned)
	require.NoError(t, err)
	require.NotNil(t, p)
}
