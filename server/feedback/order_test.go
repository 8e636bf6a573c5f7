package feedback_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/feedback"
)

// heard notes the points that are claimed.
type heard struct {
	feedback.Claims
	points []string
}

func (h *heard) Set(_ context.Context, c *control.Claim, _ audit.Change) (*control.Claim, error) {
	h.points = append(h.points, c.Scope.Point)
	return c, nil
}

// Claims of one turn are written in one order, whatever a map's is.
func TestATurnWritesInOneOrder(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	x := &control.Shift{App: "sn", IDC: "na61"}
	for i := range 20 {
		x.Set.Orders = append(x.Set.Orders, gear.Order{
			Scene: "k2", Point: fmt.Sprintf("p%02d", i), Bucket: gear.Any, Strategy: gear.StrategyCentral, AvailableRT: time.Millisecond, Level: 3, MinLevel: 1, MaxLevel: 9, Pinned: true,
		})
	}
	plan := &control.Claim{
		Field: control.FieldLevel, Source: control.SourcePlan, Level: 3, Start: now.Add(-time.Hour), End: now.Add(time.Hour),
		Scope: control.Scope{Scene: gear.Any, IDC: gear.Any, App: gear.Any, Point: gear.Any, Bucket: gear.Any},
	}
	h := &heard{}
	l := feedback.NewLoop(feedback.Config{
		Claims: h, Now: func() time.Time { return now }, Orders: func() []*control.Shift { return []*control.Shift{x} },
		Standing: func(context.Context) ([]*control.Claim, error) { return []*control.Claim{plan}, nil },
	})
	require.NoError(t, l.Turn(t.Context()))
	require.Len(t, h.points, 20)
	require.True(t, slices.IsSorted(h.points), h.points)
}
