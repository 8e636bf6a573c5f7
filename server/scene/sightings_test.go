package scene_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/scene"
)

// Scenes that nobody speaks of any more do not fill the store for ever.
func TestSightingsOfTheDeadMakeRoom(t *testing.T) {
	now := time.Date(2026, 11, 11, 0, 0, 0, 0, time.UTC)
	s := scene.NewSightings(func() time.Time { return now }, nil)
	see := func(name, point string) { s.Observe("sn", []gear.CallReport{{Scene: name, Point: point, Count: 100}}) }
	for i := range 20_000 {
		see(fmt.Sprint("old", i%100), fmt.Sprint("p", i))
	}
	see("k2", "recall")
	d, _, _ := s.Draft("k2")
	require.Empty(t, d.Graph.Nodes, "it is full")
	now = now.Add(10 * scene.SightingsHalfLife)
	see("k2", "recall")
	see("k2", "rank")
	d, _, _ = s.Draft("k2")
	require.Len(t, d.Graph.Nodes, 2)
}
