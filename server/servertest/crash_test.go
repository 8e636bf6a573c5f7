package servertest_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/servertest"
)

// serve starts a controller process with a template on machines of one app.
func serve(t *testing.T, dir string) (*servertest.Program, *servertest.Network, servertest.Machines) {
	p := servertest.Start(t, dir, "serve")
	c := p.Client()
	c.Publish(servertest.Recall("recall-tags", 100))
	c.Bind("recall-tags", "sn", "recall")
	network := servertest.NewNetwork(p.Local().AgentsAddr)
	ms := servertest.Run(t, network, p.Local().EnrolToken, "sn", 3, "na61", "et2")
	ms.Await(t, "all machines serve the template's level", 1, servertest.Level(8))
	return p, network, ms
}

// TestCrashUnderEdits: the controller is killed while two operators write. Every
// acknowledged edit survives; machines serve on without it; after the restart
// they come back and no version falls.
func TestCrashUnderEdits(t *testing.T) {
	dir := t.TempDir()
	p, network, ms := serve(t, dir)
	c := p.Client()

	var acked [2][]string // claims and templates that the controller acknowledged
	var stop atomic.Bool
	var writers sync.WaitGroup
	writers.Go(func() {
		for i := 0; !stop.Load(); i++ {
			a, err := c.Try(http.MethodPost, "/claims", map[string]any{
				"field": "level", "level": 1 + i%10, "reason": fmt.Sprintf("edit %d", i), "for": "1h",
				"scope": api.Scope{Scene: "*", IDC: "*", App: "sn", Point: "*"},
			})
			if err != nil {
				return
			}
			if a.Status == http.StatusCreated {
				acked[0] = append(acked[0], fmt.Sprintf("edit %d", i))
			}
		}
	})
	writers.Go(func() {
		for i := 0; !stop.Load(); i++ {
			name := fmt.Sprintf("t-%04d", i)
			a, err := c.Try(http.MethodPost, "/templates", servertest.Recall(name, 100))
			if err != nil {
				return
			}
			if a.Status == http.StatusCreated {
				acked[1] = append(acked[1], name)
			}
		}
	})
	time.Sleep(time.Second)
	p.Kill()
	stop.Store(true)
	writers.Wait()
	require.Greater(t, len(acked[0]), 10)
	require.Greater(t, len(acked[1]), 10)

	held := make([]servertest.Seen, len(ms))
	servertest.Eventually(t, "the machines know that they are alone", func() bool {
		alone := 0
		for i, m := range ms {
			if held[i] = m.Now(); held[i].Rung == gear.RungLastGood {
				alone++
			}
		}
		return alone == len(ms)
	})
	for i, m := range ms {
		require.NotZero(t, held[i].Level)
		require.Equal(t, held[i].Level, m.Serve(time.Millisecond).Level, "requests are served while it is down")
	}

	p = servertest.Start(t, dir, "serve")
	network.Lead(p.Local().AgentsAddr)
	c = p.Client()
	kept := map[string]bool{}
	for cursor := ""; ; {
		var page api.Page[api.Claim]
		c.Do(http.MethodGet, "/claims?limit=500&cursor="+cursor, nil, &page)
		for _, x := range page.Items {
			kept[x.Reason] = true
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	for _, reason := range acked[0] {
		require.True(t, kept[reason], "the acknowledged %s is gone", reason)
	}
	for _, name := range acked[1] {
		c.Do(http.MethodGet, "/templates/"+name, nil, nil)
	}
	t.Logf("%d claims and %d templates were acknowledged, all survived", len(acked[0]), len(acked[1]))

	c.Hold("sn", "*", 2, time.Hour)
	ms.Await(t, "the machines are back and follow", 1, servertest.Level(2))
	require.Contains(t, p.Must("audit", "verify"), "the chain is whole")
	for i, m := range ms {
		require.Less(t, held[i].Version.Revision, m.Now().Version.Revision, "revisions go on where they were")
	}
	require.NotContains(t, p.Output(), "beyond the journal", "nothing was lost, so nobody is ahead")
}

// TestR23: the database is put back to an earlier copy. The epoch rises past what
// agents hold, and they are told what the restored journal says: they neither
// refuse it nor stay silently on what it has forgotten.
func TestR23(t *testing.T) {
	for name, after := range map[string]func(t *testing.T, c *servertest.Client){
		"an edit follows":   func(_ *testing.T, c *servertest.Client) { c.Hold("sn", "*", 5, time.Hour) },
		"nothing is edited": func(*testing.T, *servertest.Client) {},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			p, network, ms := serve(t, dir)
			p.Client().Hold("sn", "*", 6, time.Hour)
			ms.Await(t, "the backup's level", 1, servertest.Level(6))
			require.Zero(t, p.Interrupt(), p.Output())
			backup, err := os.ReadFile(filepath.Join(dir, "allspark.db"))
			require.NoError(t, err)

			p = servertest.Start(t, dir, "serve")
			network.Lead(p.Local().AgentsAddr)
			for _, level := range []int{9, 3} {
				p.Client().Hold("sn", "*", level, time.Hour)
				ms.Await(t, "an edit that the backup does not have", 1, servertest.Level(level))
			}
			before := ms[0].Now().Version
			require.Zero(t, p.Interrupt(), p.Output())
			for _, suffix := range []string{"", "-wal", "-shm"} {
				_ = os.Remove(filepath.Join(dir, "allspark.db"+suffix))
			}
			require.NoError(t, os.WriteFile(filepath.Join(dir, "allspark.db"), backup, 0o600))

			p = servertest.Start(t, dir, "serve")
			network.Lead(p.Local().AgentsAddr)
			after(t, p.Client())
			want := 6
			if name == "an edit follows" {
				want = 5
			}
			ms.Await(t, "what the restored journal says", 1, servertest.Level(want))
			for _, m := range ms {
				now := m.Now().Version
				require.Greater(t, now.Epoch, before.Epoch, "the epoch passed what agents held")
				require.Empty(t, m.Status().Refusal)
			}
			servertest.Eventually(t, "the raised epoch settles", func() bool {
				epoch := p.Client().State().Lease.Newest.Epoch
				for _, m := range ms {
					if m.Now().Version.Epoch != epoch {
						return false
					}
				}
				return true
			})
			require.Contains(t, p.Output(), "epoch raised", "operators are told")
		})
	}
}
