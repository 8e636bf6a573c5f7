package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/fleet"
	"github.com/allspark/allspark/server/replica"
	"github.com/allspark/allspark/server/store"
)

// counted is the database, with what is written and read counted.
type counted struct {
	*store.DB
	rows, wrote, read int
}

func (c *counted) Publish(ctx context.Context, b replica.Beat, whole bool, parts []replica.Part) (bool, error) {
	c.rows++
	for i := range parts {
		c.rows++
		c.wrote += len(parts[i].Body)
	}
	return c.DB.Publish(ctx, b, whole, parts)
}

func (c *counted) PartsAfter(ctx context.Context, name string, seq int64) ([]replica.Part, int64, error) {
	parts, newest, err := c.DB.PartsAfter(ctx, name, seq)
	for i := range parts {
		c.read += len(parts[i].Body)
	}
	return parts, newest, err
}

// TestTenThousandAgentsAreAFewRows: what controllers tell each other of 10,000 agents
// in 20 app x IDC, all of which just took an order set.
func TestTenThousandAgentsAreAFewRows(t *testing.T) {
	const n, places = 10_000, 20
	db := openPostgres(t)
	now, err := db.Now(t.Context())
	require.NoError(t, err)
	house := func(name string) (*fleet.Registry, *replica.Exchange, *counted) {
		c := &counted{DB: db}
		r := fleet.NewRegistry(db, fleet.Options{Replica: name, Codec: store.Presence{}, StaleAfter: time.Hour})
		return r, replica.New(replica.Config{Name: name, Store: c, Topics: []replica.Topic{r}, After: r.Settle}), c
	}
	one, tell, out := house("one")
	two, hear, in := house("two")
	turn := func(e *replica.Exchange) time.Duration {
		began := time.Now()
		require.NoError(t, e.Turn(t.Context()))
		return time.Since(began)
	}
	turn(tell)
	turn(hear)
	turn(tell)
	var sessions []string
	for i := range n {
		h := gear.Hello{
			App: fmt.Sprintf("app-%d", i%10), IDC: fmt.Sprintf("idc-%d", i/10%2), Instance: fmt.Sprintf("machine-%05d", i), Host: fmt.Sprintf("host-%05d", i),
			Build: "2026.11.30-1", SDK: "go/1", StartedAt: now,
		}
		for p := range 3 {
			h.Points = append(h.Points, gear.PointDecl{Name: fmt.Sprint("point-", p), Params: []gear.Param{{Name: "tag_count", Kind: gear.KindInt, Max: gear.Int(200)}}})
		}
		c, err := one.Connect(h, "10.0.0.1:12345", now)
		require.NoError(t, err)
		sessions = append(sessions, c.Session)
	}
	turn(tell)
	turn(hear)
	for _, s := range sessions {
		require.True(t, one.Ack(s, gear.Ack{Version: gear.Version{Epoch: 3, Revision: 41}}, now))
	}
	*out, *in = counted{DB: db}, counted{DB: db}
	told, heard := turn(tell), turn(hear)
	require.Equal(t, places+1, out.rows, "a row an app x IDC, and the beat")
	require.Less(t, out.wrote, 400*n)
	require.Equal(t, out.wrote, in.read)
	require.Equal(t, map[fleet.State]int{fleet.StateConnected: n}, two.Counts(now))
	a, err := two.Get("machine-00042", now)
	require.NoError(t, err)
	require.Equal(t, gear.Version{Epoch: 3, Revision: 41}, a.Held)
	t.Logf("a roll-out to %d agents: %d rows, %d bytes an agent; told in %v, heard in %v", n, out.rows, out.wrote/n, told.Round(time.Millisecond), heard.Round(time.Millisecond))

	*out = counted{DB: db}
	quiet := turn(tell)
	require.Equal(t, 1, out.rows, "nothing changed")
	t.Logf("a quiet turn: %d row, %v", out.rows, quiet.Round(time.Millisecond))
}
