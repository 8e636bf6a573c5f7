package servertest_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/servertest"
)

// fleet is a controller with a template on many machines of one app in two IDCs.
type fleet struct {
	*servertest.Server
	servertest.Machines
	good, bad int64 // tag_count at level 10
}

func newFleet(t testing.TB, machines int) *fleet {
	cfg := servertest.Settings(t.TempDir())
	f := &fleet{Server: servertest.Serve(t, cfg), good: 100, bad: 200}
	f.Publish(servertest.Recall("recall-tags", int(f.good)))
	f.Bind("recall-tags", "sn", "recall")
	f.Hold("sn", "*", 10, time.Hour)
	f.Machines = servertest.Run(t, servertest.NewNetwork(f.App.GRPCAddr()), f.App.Local().EnrolToken, "sn", machines/2, "na61", "et2")
	f.Await(t, "all machines are given the good gear", 1, func(s servertest.Seen) bool { return s.Tags == f.good && s.Level == 10 })
	return f
}

// spoil publishes a bad gear and gives the template's ETag.
func (f *fleet) spoil(t testing.TB) string {
	f.Publish(servertest.Recall("recall-tags", int(f.bad)))
	f.Await(t, "the bad gear is in force", 1, servertest.Tags(f.bad))
	return f.Do(http.MethodGet, "/templates/recall-tags", nil, nil).ETag
}

// rollBack restores version 1 by one call and waits for a share of the machines.
func (f *fleet) rollBack(t testing.TB, etag string, share float64) time.Duration {
	began := time.Now()
	f.Do(http.MethodPost, "/templates/recall-tags/rollback", api.Rollback{Version: 1, Reason: "bad gear"}, nil, "If-Match", etag)
	f.Await(t, "the roll-back has arrived", share, servertest.Tags(f.good))
	return time.Since(began)
}

// TestR19: a bad gear is published; one call takes it back, and 99 of 100 machines
// serve the good one. How fast is the bench's question.
func TestR19(t *testing.T) {
	f := newFleet(t, 1000/less)
	etag := f.spoil(t)
	took := f.rollBack(t, etag, 0.99)
	t.Logf("99 %% of %d machines after %v", len(f.Machines), took)
	f.Await(t, "the roll-back has arrived everywhere", 1, servertest.Tags(f.good))

	var versions api.Page[api.TemplateVersion]
	f.Do(http.MethodGet, "/templates/recall-tags/versions", nil, &versions)
	require.Len(t, versions.Items, 3, "a roll-back is a new version")
	require.Equal(t, 1, versions.Items[0].RolledBackTo)
	require.Equal(t, versions.Items[2].Hash, versions.Items[0].Hash)
	servertest.Eventually(t, "every agent has acknowledged", func() bool {
		held := 0
		for _, a := range f.Agents(t) {
			if a.Current {
				held++
			}
		}
		return held == len(f.Machines)
	})
}
