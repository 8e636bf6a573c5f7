package planner

import (
	"context"
	"time"

	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/plan"
)

// Move says what else a change of a plan's state does, in the same transaction.
type Move struct {
	DropArmed bool // forget armed runs and release their claims
	EndFired  bool // release the claims of steps in force: stop all
}

// Store keeps plans, what became of their steps, and freezes.
type Store interface {
	CreatePlan(ctx context.Context, p *plan.Plan, c audit.Change) error
	// UpdatePlan writes the plan if its version still stands (fault.Stale
	// otherwise), and does the move.
	UpdatePlan(ctx context.Context, p *plan.Plan, m Move, c audit.Change) error
	DeletePlan(ctx context.Context, id string, version int64, c audit.Change) error
	// GetPlan finds a plan by id or name.
	GetPlan(ctx context.Context, id string) (*plan.Plan, error)
	// ListPlans gives all by name: there are dozens.
	ListPlans(ctx context.Context) ([]*plan.Plan, error)

	// ListRuns gives the runs of a plan, or of all for "", that ended or started
	// after since; of a terminal step its start counts.
	ListRuns(ctx context.Context, planID string, since time.Time) ([]plan.Run, error)
	// RecordRun writes the first record of a step with its claims. It is
	// fault.Conflict when there is one already, fault.Stale when the plan is no
	// longer approved under the run's epoch.
	RecordRun(ctx context.Context, r *plan.Run, claims []*control.Claim, c audit.Change) error
	// FireRun turns armed into fired and lets the claims hold to the run's end. It
	// is fault.Conflict when the run is not armed, fault.Stale as above.
	FireRun(ctx context.Context, k plan.Key, epoch int64, reason string, c audit.Change) error
	// EndRun turns a run that is armed or fired into another state, and releases
	// its claims; fault.Conflict when it is neither.
	EndRun(ctx context.Context, k plan.Key, to plan.RunState, reason string, c audit.Change) error
	// ExtendRun moves the end of a fired run that still holds.
	ExtendRun(ctx context.Context, k plan.Key, end time.Time, c audit.Change) error
	// MarkStaged notes that some machine holds a step; StagedRuns tells which.
	MarkStaged(ctx context.Context, k plan.Key, epoch int64) error
	StagedRuns(ctx context.Context) (map[StagedKey]bool, error)

	CreateFreeze(ctx context.Context, f *plan.Freeze, c audit.Change) error
	DeleteFreeze(ctx context.Context, id string, c audit.Change) error
	ListFreezes(ctx context.Context, from time.Time) ([]plan.Freeze, error)
	CreateGlass(ctx context.Context, g *plan.Glass, c audit.Change) error
	// ApproveGlass is fault.Forbidden for the one who asked.
	ApproveGlass(ctx context.Context, id string, c audit.Change) (*plan.Glass, error)
	ListGlass(ctx context.Context, from time.Time) ([]plan.Glass, error)
	ProtectScene(ctx context.Context, scene string, protect bool, c audit.Change) error
	ProtectedScenes(ctx context.Context) ([]string, error)

	// CreateRehearsal keeps the newest of a plan, at most keep of them.
	CreateRehearsal(ctx context.Context, r *Rehearsal, keep int, c audit.Change) error
	// FinishRehearsal fills in what came of it.
	FinishRehearsal(ctx context.Context, r *Rehearsal) error
	// ListRehearsals gives those of a plan, the newest first, without Played.
	ListRehearsals(ctx context.Context, planID string) ([]Rehearsal, error)
	GetRehearsal(ctx context.Context, id string) (*Rehearsal, error)
}

// StagedKey is a step under the epoch it was staged with.
type StagedKey struct {
	plan.Key
	Epoch int64
}
