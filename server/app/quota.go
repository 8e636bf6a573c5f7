package app

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/agentapi"
	"github.com/allspark/allspark/server/push"
	"github.com/allspark/allspark/server/quota"
	"github.com/allspark/allspark/server/redis"
	"github.com/allspark/allspark/server/telemetry"
	"github.com/allspark/allspark/server/template"
)

// quotas are the parts that keep groups within their budgets.
type quotas struct {
	meter   *quota.Meter
	loop    *quota.Loop
	service *quota.Service
}

// openQuota wires the budgets: the window is in Redis where one is set, else in
// this process.
func (a *App) openQuota() error {
	local := quota.NewLocal()
	var window quota.Window = local
	var relay quota.Relay
	if a.cfg.Redis.URL != "" {
		w, err := redis.Open(redis.Options{URL: a.cfg.Redis.URL, Cluster: a.cfg.Redis.Cluster, Prefix: a.cfg.Redis.Prefix})
		if err != nil {
			return fmt.Errorf("open redis: %w", err)
		}
		a.onClose("redis", w.Close)
		window, relay = w, w
	}
	a.quota.meter = quota.NewMeter()
	a.quota.loop = quota.NewLoop(quota.Config{
		Groups: a.db, Window: window, Relay: relay, Meter: a.quota.meter, Now: a.clock.Now, Places: a.fleet.Places,
		Lease: func() (int64, bool) {
			s := a.loop.Status()
			return s.Epoch, s.Leading
		},
		Send: a.sendQuota, Machines: a.machinesOf, Log: a.log,
		Retention: func() time.Duration { return a.retention.Load().Minutes },
	})
	a.quota.service = quota.NewService(a.db, a.quota.loop.Nudge)
	a.loops.Go(func() { a.quota.loop.Run(a.run) })
	return nil
}

func (a *App) sendQuota(app, idc string, q *gear.BaseQuotas) {
	f, err := agentapi.NewQuotaFrame(q)
	if err != nil {
		a.log.Error("base quotas not sent", "app", app, "idc", idc, "error", err)
		return
	}
	a.hub.Broadcast(push.Key{App: app, IDC: idc}, push.SlotQuota, f)
}

// machinesOf tells how busy a group's machines are, and what they run.
func (a *App) machinesOf(g *quota.Group) quota.Machines {
	now := a.clock.Now()
	cpu, agents := 0.0, 0
	for _, m := range g.Members {
		// Every scene of a point is served by the same machines: the busiest series
		// of an IDC speaks for them.
		byIDC := map[string]*telemetry.Rollup{}
		for _, p := range a.windows.Points(telemetry.Filter{App: m.App, Point: m.Point}, now) {
			if p.Last != nil && p.Last.CPU >= 0 && (m.IDC == gear.Any || m.IDC == p.IDC) && (m.Scene == gear.Any || m.Scene == p.Scene) {
				if old := byIDC[p.IDC]; old == nil || old.Agents < p.Last.Agents {
					byIDC[p.IDC] = p.Last
				}
			}
		}
		for _, r := range byIDC {
			cpu += r.CPU * float64(r.Agents)
			agents += r.Agents
		}
	}
	out := quota.Machines{CPU: -1}
	if agents > 0 {
		out.CPU = cpu / float64(agents)
	}
	var builds []string
	seen := map[template.Selector]bool{}
	for _, m := range g.Members {
		for _, d := range a.fleet.Declared(m.App) {
			k := template.Selector{App: d.App, IDC: d.IDC, Scene: d.Build}
			if d.Point != m.Point || m.IDC != gear.Any && m.IDC != d.IDC || seen[k] {
				continue
			}
			seen[k] = true
			out.Count += d.Machines
			builds = append(builds, d.App+"@"+cmp.Or(d.Build, "?"))
		}
	}
	slices.Sort(builds)
	out.Builds = strings.Join(slices.Compact(builds), " ")
	return out
}

// Quotas gives the door through which the sample engine seeds its group.
func (a *App) Quotas() (*quota.Service, quota.Store) { return a.quota.service, a.db }
