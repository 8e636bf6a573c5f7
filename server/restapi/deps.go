package restapi

import (
	"context"
	"io/fs"
	"log/slog"
	"time"

	"github.com/allspark/allspark/server/alert"
	"github.com/allspark/allspark/server/allocation"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/experiment"
	"github.com/allspark/allspark/server/fleet"
	"github.com/allspark/allspark/server/planner"
	"github.com/allspark/allspark/server/profile"
	"github.com/allspark/allspark/server/push"
	"github.com/allspark/allspark/server/quota"
	"github.com/allspark/allspark/server/scene"
	"github.com/allspark/allspark/server/settings"
	"github.com/allspark/allspark/server/telemetry"
	"github.com/allspark/allspark/server/template"
)

// Deps is what the edge asks of the rooms. App wires it.
type Deps struct {
	Version        string // of the build
	Replica        string
	Log            *slog.Logger // nil discards
	Console        fs.FS        // the built console; nil when there is none
	TrustedProxies []string     // CIDRs whose X-Forwarded-For counts; none by default

	// Observe is told of every request answered; took is 0 of an event stream. Nil:
	// nobody counts.
	Observe func(method, route string, status int, took time.Duration)

	Auth      *auth.Service
	Templates *template.Service
	Store     template.Store // to read templates and bindings
	Claims    *control.Service
	Control   control.Store // to read claims and the journal
	Audit     audit.Store
	Fleet     *fleet.Registry
	Push      *push.Hub
	Windows   Windows
	History   telemetry.History

	Scenes    *scene.Service
	Profiles  *profile.Service
	Tables    allocation.Store
	Builder   TableBuilder
	SceneLoop SceneLoop
	Sightings Sightings

	Settings        settings.Store
	DefaultSettings settings.Settings       // in force while nothing is stored
	Apply           func(settings.Settings) // puts changed settings in force on this replica

	Quota      *quota.Service
	QuotaStore quota.Store // to read groups and their history
	QuotaLoop  *quota.Loop // to read how they stand

	Plans *planner.Service

	Alerts *alert.Service

	Experiments *experiment.Service

	Loop     func() control.Status // who decides
	Database Database

	Demo Demo // nil where no sample engine runs
}

// Database answers whether it is there.
type Database interface {
	Dialect() string
	Ping(ctx context.Context) error
}
