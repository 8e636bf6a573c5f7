package scene_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/allocation"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/profile"
	"github.com/allspark/allspark/server/scene"
)

// stuck is a store that answers when the test lets it.
type stuck struct {
	allocation.Store
	asked, answer chan struct{}
}

func (s stuck) GetAllocation(context.Context, string, string, int) (*allocation.Version, error) {
	close(s.asked)
	<-s.answer
	return nil, fault.New(fault.Unavailable, "the database is away")
}

// Pages ask how scenes stand: they must not wait for a build, which may take a
// core for seconds or a database that hangs.
func TestReadinessDoesNotWaitForABuild(t *testing.T) {
	store := stuck{asked: make(chan struct{}), answer: make(chan struct{})}
	b := scene.NewBuilder(scene.BuilderConfig{Tables: store, Now: time.Now})
	built := make(chan error)
	go func() {
		_, err := b.Rebuild(t.Context(), &scene.Scene{Spec: scene.Spec{Name: "k2"}}, audit.Change{Actor: "ann"})
		built <- err
	}()
	<-store.asked
	require.Empty(t, b.Readiness("k2").Reason)
	gone, leave := context.WithCancel(t.Context())
	leave() // who waits for it may leave
	_, err := b.Rebuild(gone, &scene.Scene{Spec: scene.Spec{Name: "home"}}, audit.Change{Actor: "bob"})
	require.ErrorIs(t, err, context.Canceled)
	close(store.answer)
	require.True(t, fault.Is(<-built, fault.Unavailable))
}

// empty is a store without tables, and one without profiles that counts questions.
type empty struct{ allocation.Store }

func (empty) GetAllocation(context.Context, string, string, int) (*allocation.Version, error) {
	return nil, fault.New(fault.NotFound, "there is none")
}

type bare struct {
	profile.Store
	asked int
}

func (b *bare) ListProfiles(context.Context, profile.Filter) ([]*profile.Profile, string, error) {
	b.asked++
	return nil, "", nil
}

// What is known of a scene goes with it; an app without profiles is asked for once.
func TestTheBuilderForgetsScenesThatAreGone(t *testing.T) {
	all := []*scene.Scene{{Spec: engine()}}
	profiles := &bare{}
	b := scene.NewBuilder(scene.BuilderConfig{
		Tables: empty{}, Profiles: profiles, Now: time.Now,
		Scenes: func(context.Context) ([]*scene.Scene, error) { return all, nil },
		Levels: func(string) map[scene.Place]scene.Level { return nil },
	})
	require.NoError(t, b.Turn(t.Context()))
	require.NotEmpty(t, b.Readiness("k2").Missing)
	require.Equal(t, 2, profiles.asked, "merger and sn")
	all = nil
	require.NoError(t, b.Turn(t.Context()))
	require.Empty(t, b.Readiness("k2").Missing)
}
