package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/store"
	"github.com/allspark/allspark/server/template"
)

// Open gives a new, migrated, empty database, closed when the test ends.
type Open func(t *testing.T) *store.DB

// Run holds a database to the suite.
func Run(t *testing.T, open Open) {
	for name, test := range map[string]func(t *testing.T, db *store.DB){
		"Templates":          testTemplates,
		"TemplateRaces":      testTemplateRaces,
		"TemplatePages":      testTemplatePages,
		"Publish":            testPublish,
		"Bindings":           testBindings,
		"Claims":             testClaims,
		"ClaimsAt":           testClaimsAt,
		"Journal":            testJournal,
		"JournalFence":       testJournalFence,
		"JournalConcurrency": testJournalConcurrency,
		"JournalPrune":       testJournalPrune,
		"JournalPages":       testJournalPages,
		"Retention":          testRetention,
		"Lease":              testLease,
		"LeaseRace":          testLeaseRace,
		"Agents":             testAgents,
		"Replicas":           testReplicas,
		"ReplicaWindows":     testReplicaWindows,
		"ReplicaParts":       testReplicaParts,
		"AuditChain":         testAuditChain,
		"AuditTamper":        testAuditTamper,
		"AuditFilters":       testAuditFilters,
		"Idempotency":        testIdempotency,
		"IdempotencyRace":    testIdempotencyRace,
		"Users":              testUsers,
		"Tokens":             testTokens,
		"Keys":               testKeys,
		"Sessions":           testSessions,

		"QuotaGroups":     testQuotaGroups,
		"QuotaGroupRaces": testQuotaGroupRaces,
		"QuotaMinutes":    testQuotaMinutes,

		"Alerts":        testAlerts,
		"AlertRaces":    testAlertRaces,
		"Deliveries":    testDeliveries,
		"AlertSettings": testAlertSettings,

		"Scenes":      testScenes,
		"Profiles":    testProfiles,
		"Allocations": testAllocations,

		"Plans":     testPlans,
		"PlanRuns":  testPlanRuns,
		"PlanRaces": testPlanRaces,
		"Freezes":   testFreezes,

		"Rehearsals": testRehearsals,

		"Experiments":     testExperiments,
		"ExperimentRaces": testExperimentRaces,
		"ExperimentSpans": testExperimentSpans,

		"Settings":         testSettings,
		"History":          testHistory,
		"HistoryPages":     testHistoryPages,
		"HistoryRetention": testHistoryRetention,
		"HostileText":      testHostileText,
		"CancelledContext": testCancelledContext,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func by(actor string) audit.Change {
	return audit.Change{Actor: actor, Via: "api", Reason: "because " + actor}
}

func keyed(actor, key string) audit.Change {
	c := by(actor)
	c.IdempotencyKey = key
	return c
}

func requireCode(t *testing.T, code fault.Code, err error) {
	t.Helper()
	require.Error(t, err)
	require.Equal(t, code, fault.CodeOf(err), "%v", err)
}

// verify walks the chain from its beginning to the head row.
func verify(ctx context.Context, db *store.DB) error {
	var seq int64
	var hash string
	err := db.WalkAudit(ctx, func(e audit.Entry) error {
		if err := audit.CheckLink(seq, hash, &e); err != nil {
			return err
		}
		seq, hash = e.Seq, e.Hash
		return nil
	})
	if err != nil {
		return err
	}
	n, h, err := db.AuditHead(ctx)
	if err == nil && (n != seq || h != hash) {
		err = fmt.Errorf("the head says %d %s, the log ends at %d %s", n, h, seq, hash)
	}
	return err
}

func spec(levels int) *template.Spec {
	return &template.Spec{
		Parameters: []template.Parameter{
			{Param: gear.Param{
				Name: "tag_count", Kind: gear.KindInt, Unit: "tags", Min: gear.Int(10), Max: gear.Int(200), Step: gear.Int(5),
				Default: gear.Int(100), Monotonic: gear.MonotonicUp,
			}, Interpolation: template.Linear, Cost: true},
			{Param: gear.Param{Name: "model", Kind: gear.KindEnum, Values: []string{"small", "large"}}, Interpolation: template.Step},
			{Param: gear.Param{Name: "wait", Kind: gear.KindDuration, Max: gear.Duration(time.Second)}, Interpolation: template.Geometric},
			{Param: gear.Param{Name: "share", Kind: gear.KindFloat, Min: gear.Float(0), Max: gear.Float(1)}},
			{Param: gear.Param{Name: "rerank", Kind: gear.KindBool}},
			{Param: gear.Param{Name: "note", Kind: gear.KindString}},
		},
		Levels: levels, Default: levels / 2, Min: 1, Max: levels,
		Strategy: template.Strategy{Kind: gear.StrategyCrowdRT, Settings: map[string]gear.Value{"available_rt": gear.Duration(8 * time.Millisecond)}},
		Anchors: []template.Anchor{
			{Level: 1, Set: map[string]gear.Value{
				"tag_count": gear.Int(10), "model": gear.Enum("small"), "wait": gear.Duration(1500 * time.Microsecond),
				"share": gear.Float(1), "rerank": gear.Bool(false), "note": gear.String("低档 \"quoted\" <b>"),
			}},
			{Level: levels, Set: map[string]gear.Value{"tag_count": gear.Int(200), "share": gear.Float(0.1), "model": gear.Enum("large")}},
		},
	}
}

func newTemplate(t *testing.T, db *store.DB, name string) *template.Template {
	t.Helper()
	x := &template.Template{Name: name, Description: "about " + name, Tags: []string{"recall", "peak"}, Draft: spec(10)}
	require.NoError(t, db.CreateTemplate(t.Context(), x, by("ann")))
	return x
}

// race runs n writers at once and counts the outcomes by code; "" is success.
func race(n int, write func(i int) error) map[fault.Code]int {
	start := make(chan struct{})
	errs := make(chan error, n)
	for i := range n {
		go func() {
			<-start
			errs <- write(i)
		}()
	}
	close(start)
	out := map[fault.Code]int{}
	for range n {
		out[fault.CodeOf(<-errs)]++
	}
	return out
}

func clash(t *testing.T, err error) fault.Clash {
	t.Helper()
	f, ok := errors.AsType[*fault.Error](err)
	require.True(t, ok)
	c, ok := f.Detail.(fault.Clash)
	require.True(t, ok, "%T", f.Detail)
	return c
}
