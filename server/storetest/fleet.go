package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/fleet"
	"github.com/allspark/allspark/server/store"
)

func testAgents(t *testing.T, db *store.DB) {
	ctx := t.Context()
	now, err := db.Now(ctx)
	require.NoError(t, err)
	full := fleet.Agent{
		Instance: "i-0", App: "sn", IDC: "na61", Host: "h", Build: "1.2", SDK: "go/1", Address: "127.0.0.1:9",
		Capabilities: []string{"crowd_rt"},
		Points: []gear.PointDecl{{Name: "recall", External: true, Params: []gear.Param{
			{Name: "tag_count", Kind: gear.KindInt, Unit: "tags", Min: gear.Int(10), Max: gear.Int(200), Default: gear.Int(100)},
			{Name: "mode", Kind: gear.KindEnum, Values: []string{"a", "b"}, Default: gear.Enum("a"), Monotonic: gear.MonotonicDown},
		}}},
		State: fleet.StateConnected, Session: "s", Replica: "r", Home: "r", Epoch: 7, Held: gear.Version{Epoch: 2, Revision: 41}, HeldHash: "hh",
		Rung:      gear.RungLastGood,
		LastAck:   gear.Ack{Version: gear.Version{Epoch: 2, Revision: 42}, Refused: true, Problems: []gear.Problem{{Path: "orders[0]", Code: "range", Message: "no"}}},
		LastAckAt: now, LastReportAt: now, ClockOffset: -3 * time.Millisecond, CPU: 0.75, StartedAt: now, ConnectedAt: now, SeenAt: now,
	}
	many := []fleet.Agent{full}
	for i := range 450 {
		many = append(many, fleet.Agent{Instance: fmt.Sprintf("m-%03d", i), App: "merger", IDC: "na61", CPU: -1})
	}
	require.NoError(t, db.SaveAgents(ctx, nil))
	require.NoError(t, db.SaveAgents(ctx, many))
	got, err := db.LoadAgents(ctx)
	require.NoError(t, err)
	require.Equal(t, many, got)

	require.NoError(t, db.BanAgent(ctx, "i-0", "misbehaves", by("ann")))
	full.State, full.Host = fleet.StateDisconnected, "h2"
	full.Banned = "" // what the registry knows may be older than the ban
	require.NoError(t, db.SaveAgents(ctx, []fleet.Agent{full}))
	require.NoError(t, db.DeleteAgents(ctx, []string{"i-0", "m-000", "none"}, now.Add(time.Second)))
	got, err = db.LoadAgents(ctx)
	require.NoError(t, err)
	require.Len(t, got, 450)
	require.Equal(t, "misbehaves", got[0].Banned, "neither saving nor forgetting lifts a ban")
	require.Equal(t, "h2", got[0].Host)
	require.NoError(t, db.UnbanAgent(ctx, "i-0", by("ann")))
	require.NoError(t, db.DeleteAgents(ctx, []string{"i-0"}, now))
	got, err = db.LoadAgents(ctx)
	require.NoError(t, err)
	require.Len(t, got, 450, "it was seen since")
	older := full
	older.Epoch, older.Host = full.Epoch-1, "h3"
	require.NoError(t, db.SaveAgents(ctx, []fleet.Agent{older}))
	got, err = db.LoadAgents(ctx)
	require.NoError(t, err)
	require.Equal(t, "h2", got[0].Host, "an older session's row comes too late")
	bans, err := db.BannedAgents(ctx)
	require.NoError(t, err)
	require.Empty(t, bans)
	require.NoError(t, db.DeleteAgents(ctx, []string{"i-0"}, now.Add(time.Second)))
	requireCode(t, fault.NotFound, db.BanAgent(ctx, "i-0", "", by("ann")))

	// Two replicas save the same agents in opposite orders.
	counts := race(6, func(w int) error {
		for range 4 {
			batch := append([]fleet.Agent(nil), many[2:202]...)
			if w%2 == 0 {
				for i, j := 0, len(batch)-1; i < j; i, j = i+1, j-1 {
					batch[i], batch[j] = batch[j], batch[i]
				}
			}
			if err := db.SaveAgents(ctx, batch); err != nil {
				return err
			}
		}
		return nil
	})
	require.Equal(t, map[fault.Code]int{"": 6}, counts)
	require.NoError(t, verify(ctx, db))
}
