package profile_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/profile"
	"github.com/allspark/allspark/server/store"
)

// Two levels are seen of five, one class of them at another: the rest keeps what
// was known, moved as far as its neighbours.
func TestTheKeeperPutsNewsOverWhatWasKnown(t *testing.T) {
	now := time.Date(2026, 11, 11, 0, 0, 0, 0, time.UTC)
	db, err := store.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "a.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	require.NoError(t, db.Migrate(t.Context()))
	clock := func() time.Time { return now }
	s := profile.NewService(db, clock, nil)
	key := profile.Key{App: "sn", Point: "recall", Scene: "k2", Table: "t"}
	see := func(l *profile.Learner, level int, class string, us uint64, cap float64) {
		require.True(t, l.Observe(profile.Observation{
			Key: key, Class: class, Level: level, Of: 5, Count: 500, RT: encoded(us, us, us, 2*us, 3*us), Value: 50,
			Worked: 400, Work: 400 * float64(us) / 2000, Effect: 40 * float64(level), Taken: 400 * cap, TakenMax: 10 * float64(level), Output: 400, At: now,
		}))
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
	require.EqualValues(t, 5*1000, p.Samples())
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
	require.InDelta(t, 2*was.Levels[1].Work, p.Levels[1].Work, 1e-9)
	require.InDelta(t, was.Levels[3].RT[0][3].MS, p.Levels[3].RT[0][3].MS, 0.1)
	require.InDelta(t, was.Levels[3].Work, p.Levels[3].Work, 1e-9, "one class alone says nothing of the mean")
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
