package restapi

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/alert"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/experiment"
	"github.com/allspark/allspark/server/fleet"
	"github.com/allspark/allspark/server/notify"
	"github.com/allspark/allspark/server/planner"
	"github.com/allspark/allspark/server/profile"
	"github.com/allspark/allspark/server/push"
	"github.com/allspark/allspark/server/quota"
	"github.com/allspark/allspark/server/scene"
	"github.com/allspark/allspark/server/settings"
	"github.com/allspark/allspark/server/store"
	"github.com/allspark/allspark/server/telemetry"
	"github.com/allspark/allspark/server/template"
)

// desk is the edge on real rooms and a real database, in virtual time: a point
// sn/recall in IDC ea119 with one agent, and a template bound to it.
type desk struct {
	t      *testing.T
	db     *store.DB
	auth   *auth.Service
	fleet  *fleet.Registry
	push   *push.Hub
	server *Server
	tokens map[string]string // by role
	admin  string            // password

	template, other api.TemplateDetail // bound to sn; bound to rank
	binding, alien  api.Binding
	claim           api.Claim
	foreign         api.Claim
	scene           api.Scene
	profile         api.Profile
	seen            *scene.Sightings
}

var system = audit.Change{Actor: "test", Via: "test", Reason: "test"}

type hubPublisher struct{ hub *push.Hub }

func (p hubPublisher) Publish(_ context.Context, x *control.Shift) error {
	p.hub.Publish(push.Key{App: x.App, IDC: x.IDC}, push.State{Version: x.Version, Hash: x.Hash})
	return nil
}

// withDesk runs f on a fresh desk in a bubble of virtual time.
func withDesk(t *testing.T, f func(d *desk)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, dir)
		f(d)
	})
}

func newDesk(t *testing.T, dir string) *desk {
	ctx := t.Context()
	db, err := store.Open(ctx, "sqlite:"+filepath.Join(dir, "a.db"), store.WithClock(time.Now))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	require.NoError(t, db.Migrate(ctx))
	log := slog.New(slog.DiscardHandler)
	d := &desk{t: t, db: db, auth: auth.New(db, log), tokens: map[string]string{}}
	require.NoError(t, d.auth.Start(ctx))
	t.Cleanup(d.auth.Stop)
	_, d.admin, err = d.auth.Bootstrap(ctx)
	require.NoError(t, err)

	d.fleet = fleet.NewRegistry(db, fleet.Options{Replica: "a"})
	d.seen = scene.NewSightings(time.Now, nil)
	d.push = push.NewHub(push.Options{})
	d.agent("sn-1", "sn", "recall")
	d.agent("rank-1", "rank", "score")
	windows := telemetry.New(telemetry.Limits{})
	d.server = New(Deps{
		Version: "test", Replica: "a", Log: log, Console: console1,
		Auth: d.auth, Templates: template.NewService(db, d.fleet, nil), Store: db, Claims: control.NewService(db, db, nil), Control: db,
		Audit: db, Fleet: d.fleet, Push: d.push, Windows: windows, History: telemetry.History{Store: db}, Settings: db,
		DefaultSettings: settings.Settings{RetentionMinutes: 168 * time.Hour, RetentionHours: 2160 * time.Hour, StaleAfter: 5 * time.Second, ForgetAfter: 24 * time.Hour},
		Loop:            func() control.Status { return control.Status{Leading: true, Holder: "a"} }, Database: db,
		Scenes: scene.NewService(db, nil, nil, nil), Profiles: profile.NewService(db, time.Now, nil), Tables: db,
		Sightings: d.seen,
		Builder: scene.NewBuilder(scene.BuilderConfig{
			Scenes: db.ListScenes, Profiles: db, Tables: db, Now: time.Now,
			Levels: func(string) map[scene.Place]scene.Level { return nil },
		}),
		Plans: planner.NewService(planner.ServiceConfig{
			Store: db, Control: db, Templates: db, Foreseer: control.NewForeseer(db, db, d.fleet),
			Stager: planner.NewStager(planner.StagerConfig{Store: db, Clock: db}), Agents: d.fleet, Ledger: d.push, Audit: db,
			Profiles: db, History: telemetry.History{Store: db}, Rehearser: still{}, Log: log,
		}),
		Alerts: alert.NewService(db, notify.New(nil, "test"), time.Now, func() {}),
		Experiments: experiment.NewService(db, control.NewService(db, db, nil), func(ctx context.Context) ([]*control.Claim, error) {
			now, err := db.Now(ctx)
			if err != nil {
				return nil, err
			}
			return db.ClaimsAt(ctx, now)
		}),
		Quota: quota.NewService(db, func() {}), QuotaStore: db, QuotaLoop: quota.NewLoop(quota.Config{Now: time.Now}),
	})
	t.Cleanup(d.server.Stop)
	for i, id := range []string{alertID, alertAt} { // an alert of app sn in ea119, and one of all apps
		a := &alert.Alert{
			ID: id, Fingerprint: id, Kind: alert.BadMachine, Severity: alert.Warning, Reason: "recall needs more", StartedAt: time.Now(), FiredAt: time.Now(),
			Scope: []alert.Scope{{App: "sn", IDC: "ea119", Scene: "k2", Point: "recall", Instance: "sn-1"}, {App: gear.Any, IDC: "ea119"}}[i],
		}
		require.NoError(t, db.RaiseAlert(ctx, a, audit.Change{Actor: alert.Actor}))
	}
	require.NoError(t, db.CreateExperiment(ctx, &experiment.Experiment{
		ID: experimentID, Name: "dynamic", Reason: "worth it?", State: experiment.Draft, Duration: time.Hour,
		Scope:   control.Scope{Scene: gear.Any, IDC: gear.Any, App: "sn", Point: "recall", Bucket: gear.Any},
		Measure: experiment.Place{App: "sn", Point: "recall"},
		Arms:    []experiment.Arm{{Name: "on", Slices: 5000}, {Name: "off", Slices: 5000, Strategy: gear.StrategyFixed, Level: 5}},
	}, system))
	for role, grants := range map[string][]auth.Grant{
		"viewer":    {{Role: auth.Viewer, App: "sn", IDC: gear.Any}},
		"operator":  {{Role: auth.Operator, App: "sn", IDC: gear.Any}},
		"admin":     {{Role: auth.Admin, App: gear.Any, IDC: gear.Any}},
		"foreign":   {{Role: auth.Operator, App: "rank", IDC: gear.Any}},
		"elsewhere": {{Role: auth.Operator, App: "sn", IDC: "na61"}},
	} {
		_, secret, err := d.auth.IssueToken(ctx, nil, role, grants, time.Hour*24, system)
		require.NoError(t, err)
		d.tokens[role] = secret
	}
	d.furnish()
	return d
}

var console1 = fstest.MapFS{
	"index.html":      {Data: []byte("<!doctype html><title>AllSpark</title>")},
	"assets/app-1.js": {Data: []byte(strings.Repeat("console.log(1);", 100))},
	"assets/.hidden":  {Data: []byte("secret")},
	"favicon.svg":     {Data: []byte("<svg xmlns='http://www.w3.org/2000/svg'/>")},
}

func (d *desk) agent(instance, app, point string) {
	_, err := d.fleet.Connect(gear.Hello{
		Instance: instance, App: app, IDC: "ea119", Host: "host-" + app, Build: "1.2", SDK: "1", StartedAt: time.Now(), FallbackRung: gear.RungDefault,
		Points: []gear.PointDecl{{Name: point, Params: []gear.Param{{Name: "tag_count", Kind: gear.KindInt, Min: gear.Int(10), Max: gear.Int(200), Default: gear.Int(100)}}}},
	}, "10.0.0.1:1", time.Now())
	require.NoError(d.t, err)
}

const document = `{"name":"NAME","strategy":{"kind":"fixed"},"levels":{"count":10,"default":8,"min":1,"max":10},
"parameters":[{"name":"tag_count","type":"int","unit":"tags","min":10,"max":200}],
"gears":[{"level":1,"set":{"tag_count":20}},{"level":10,"set":{"tag_count":200}}]}`

// experimentID is of the desk's draft.
const experimentID = "00000000-0000-7000-8000-0000000000e1"

func experimentOf(name string) string {
	return `{"name":"` + name + `","reason":"test","scope":{"app":"sn","point":"recall"},"measure":{"app":"sn","point":"recall"},"duration":"1h",
"arms":[{"name":"on","share":50},{"name":"off","share":50,"strategy":"fixed","level":5}]}`
}

// The alerts of the desk.
const (
	alertID = "00000000-0000-7000-8000-0000000000a1"
	alertAt = "00000000-0000-7000-8000-0000000000a2"
)

func sinkOf(name string) string {
	return `{"name":"` + name + `","kind":"slack","url":"https://hooks.example.com/services/T0/secret-token","secret":"shh","enabled":false,"resolved":true}`
}

func named(name string) string { return strings.Replace(document, "NAME", name, 1) }

// furnish publishes a template for each app, binds it and journals the orders.
func (d *desk) furnish() {
	for _, x := range []struct {
		name, app, point string
		t                *api.TemplateDetail
		b                *api.Binding
		c                *api.Claim
	}{{"sn-recall", "sn", "recall", &d.template, &d.binding, &d.claim}, {"rank-score", "rank", "score", &d.other, &d.alien, &d.foreign}} {
		d.ok(d.do("admin", "POST", "/templates?reason=test", named(x.name)), 201, x.t)
		d.ok(d.do("admin", "POST", "/templates/"+x.name+"/publish", `{"reason":"first"}`, "If-Match", etag(x.t.Version)), 200, x.t)
		d.ok(d.do("admin", "POST", "/bindings", `{"selector":{"scene":"*","idc":"*","app":"`+x.app+`","point":"`+x.point+`"},"template":"`+x.name+`"}`), 201, x.b)
		d.ok(d.do("admin", "POST", "/claims", claimOf(x.app, 3)), 201, x.c)
	}
	d.ok(d.do("admin", "POST", "/profiles", uploadOf("sn", "recall")), 201, &d.profile)
	d.ok(d.do("admin", "POST", "/scenes", sceneOf("k2", "300ms")), 201, &d.scene)
	d.ok(d.do("admin", "POST", "/scenes/k2/allocations", `{"reason":"first"}`), 201, nil)
	d.ok(d.do("admin", "POST", "/plans", planOf("peak")), 201, nil)
	d.ok(d.do("admin", "POST", "/quota-groups", quotaOf("sn-rank", "sn", "rank", 1000)), 201, nil)
	d.ok(d.do("admin", "POST", "/alert-sinks", sinkOf("chat")), 201, nil)
	d.decide()
	d.ok(d.do("admin", "GET", "/templates/sn-recall", ""), 200, &d.template)
	d.ok(d.do("admin", "GET", "/templates/rank-score", ""), 200, &d.other)
}

func claimOf(app string, level int) string {
	b, _ := json.Marshal(map[string]any{"field": "level", "level": level, "reason": "test", "scope": map[string]string{"scene": "*", "idc": "*", "app": app, "point": "*"}})
	return string(b)
}

func planOf(name string) string {
	return `{"name":"` + name + `","zone":"Asia/Shanghai","owner":"ann","executor":"bob","steps":[` +
		`{"name":"gears","at":"2000-02-01 23:56:00","for":"7m","set":[{"app":"sn","point":"recall","level":3}]}]}`
}

// still is a model of an engine in which nothing happens.
type still struct{}

func (still) Rehearse(_ context.Context, s *planner.Script) (*planner.Played, error) {
	p := &planner.Played{Front: planner.Place{App: "frontend", Point: "entry"}, Load: []float64{s.Day.Peak}}
	p.With.QPS, p.Without.QPS = []float64{1}, []float64{1}
	return p, nil
}

// decide does what the control loop does, once.
func (d *desk) decide() {
	ctx := d.t.Context()
	loop := control.NewLoop(control.Config{
		Holder: "a", Store: d.db, Templates: d.db, Lease: d.db, Places: d.fleet, Publisher: hubPublisher{d.push}, Log: slog.New(slog.DiscardHandler),
	})
	run, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { defer close(done); loop.Run(run) }()
	time.Sleep(3 * time.Second)
	stop()
	<-done
}

// do makes a request as a role ("" for nobody).
func (d *desk) do(role, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}
	req := httptest.NewRequestWithContext(d.t.Context(), method, prefix+path, r)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if role != "" {
		req.Header.Set("Authorization", "Bearer "+d.tokens[role])
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	d.server.ServeHTTP(w, req)
	return w
}

// root makes a request outside the API.
func (d *desk) root(method, path string, headers ...string) *httptest.ResponseRecorder {
	req := httptest.NewRequestWithContext(d.t.Context(), method, path, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	d.server.ServeHTTP(w, req)
	return w
}

// ok wants a status and reads the body.
func (d *desk) ok(w *httptest.ResponseRecorder, status int, into any) {
	d.t.Helper()
	require.Equal(d.t, status, w.Code, w.Body.String())
	if into != nil {
		require.NoError(d.t, json.Unmarshal(w.Body.Bytes(), into), w.Body.String())
	}
}

// refused wants a problem with the status.
func (d *desk) refused(w *httptest.ResponseRecorder, status int) api.Problem {
	d.t.Helper()
	require.Equal(d.t, status, w.Code, w.Body.String())
	require.Equal(d.t, problemType, w.Header().Get("Content-Type"))
	var p api.Problem
	dec := json.NewDecoder(bytes.NewReader(w.Body.Bytes()))
	dec.DisallowUnknownFields()
	require.NoError(d.t, dec.Decode(&p), w.Body.String())
	require.Equal(d.t, status, p.Status)
	require.NotEmpty(d.t, p.Code)
	require.NotEmpty(d.t, p.RequestID)
	require.Equal(d.t, p.RequestID, w.Header().Get("X-Request-Id"))
	return p
}

// entries counts what was ever changed: a refused request must add nothing.
func (d *desk) entries() int64 {
	v, err := audit.Verify(d.t.Context(), d.db)
	require.NoError(d.t, err)
	require.Empty(d.t, v.Problem)
	return v.Entries
}

func (d *desk) revision() int64 {
	latest, err := d.db.LatestShifts(d.t.Context())
	require.NoError(d.t, err)
	for _, x := range latest {
		if x.App == "sn" {
			return x.Version.Revision
		}
	}
	d.t.Fatal("nothing was ordered for sn")
	return 0
}
