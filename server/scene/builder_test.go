package scene_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/allocation"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
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
	close(store.answer)
	require.True(t, fault.Is(<-built, fault.Unavailable))
}
