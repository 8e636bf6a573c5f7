package api

import (
	"encoding/json"
	"time"
)

// Plan is what takes effect when, and when it ends.
type Plan struct {
	ID         string          `json:"id" doc:"UUIDv7."`
	Name       string          `json:"name" doc:"Unique." example:"double-11"`
	State      string          `json:"state" enum:"draft,approved,held,stopped,done" doc:"Only an approved plan's steps fire."`
	Epoch      int64           `json:"epoch" doc:"Rises with every edit, hold, resume and stop; tells what was staged before from what is now."`
	Zone       string          `json:"zone" doc:"Of its local times." example:"Asia/Shanghai"`
	Owner      string          `json:"owner" doc:"Who decides."`
	Executor   string          `json:"executor" doc:"Who is at the controls."`
	Approver   string          `json:"approver,omitempty" doc:"Who must approve; anyone who may when empty."`
	Purpose    string          `json:"purpose,omitempty" doc:"What for."`
	Repeat     string          `json:"repeat,omitempty" doc:"Cron on the zone's wall clock; empty is once." example:"30 19 * * 1-5"`
	Document   json.RawMessage `json:"document" doc:"The plan's document, as it can be sent back."`
	Next       *PlanStep       `json:"next,omitempty" doc:"The next step by the calendar."`
	CreatedBy  string          `json:"created_by" doc:"Author."`
	CreatedAt  time.Time       `json:"created_at" doc:"When."`
	UpdatedBy  string          `json:"updated_by" doc:"Who changed it last."`
	UpdatedAt  time.Time       `json:"updated_at" doc:"When."`
	ApprovedBy string          `json:"approved_by,omitempty" doc:"Who approved it."`
	ApprovedAt *time.Time      `json:"approved_at,omitempty" doc:"When."`
	Glass      string          `json:"glass,omitempty" doc:"Approved in a freeze by this leave."`
	Version    int64           `json:"version" doc:"The ETag."`
}

// PlanStep is a step of one occurrence.
type PlanStep struct {
	Occurrence string     `json:"occurrence" doc:"The wall time of the occurrence's first step; names it." example:"2026-11-10T23:56:00"`
	Name       string     `json:"name" doc:"Step." example:"midnight-gears"`
	Do         string     `json:"do" enum:"set,auto,restore" doc:"What it does."`
	Sets       []string   `json:"sets" doc:"What it sets, in words."`
	Start      time.Time  `json:"start" doc:"By the calendar."`
	End        *time.Time `json:"end,omitempty" doc:"By the calendar; none of auto and restore."`
	Run        *PlanRun   `json:"run,omitempty" doc:"What became of it."`
	Acks       []PlanAck  `json:"acks,omitempty" doc:"While it is in force: who holds the newest orders."`
}

// PlanRun is what became of a step.
type PlanRun struct {
	State   string     `json:"state" enum:"armed,fired,skipped,cancelled,missed,ended" doc:"Missed: too late, and no machine held it."`
	Epoch   int64      `json:"epoch" doc:"Of the plan when it was armed."`
	Start   time.Time  `json:"start" doc:"That counts: earlier than the calendar's when it was run at once."`
	End     *time.Time `json:"end,omitempty" doc:"That counts: moved by extend and stop."`
	FiredAt *time.Time `json:"fired_at,omitempty" doc:"When the controllers fired it."`
	Staged  bool       `json:"staged" doc:"Some machine held it beforehand."`
	Reason  string     `json:"reason,omitempty" doc:"Why it is so."`
}

// PlanAck is how far the newest orders of an app x IDC have come.
type PlanAck struct {
	App      string `json:"app" doc:"Application."`
	IDC      string `json:"idc" doc:"Machine room."`
	Expected int    `json:"expected" doc:"Agents."`
	Held     int    `json:"held" doc:"That hold them."`
}

// PlanConflict is two wishes for one field of one place at one time.
type PlanConflict struct {
	Step    string    `json:"step" doc:"Of this plan."`
	Field   string    `json:"field" doc:"Both set it."`
	Scope   Scope     `json:"scope" doc:"Where."`
	From    time.Time `json:"from" doc:"From then."`
	To      time.Time `json:"to" doc:"Until then."`
	With    string    `json:"with" doc:"The other wish."`
	Outcome string    `json:"outcome" doc:"What precedence makes of it."`
}

// PlanCheck is a line of the readiness list.
type PlanCheck struct {
	Name   string `json:"name" doc:"approval, agents, staged, templates, pins, profiles, conflicts, freeze, missed, restore." example:"staged"`
	Level  string `json:"level" enum:"ok,warn,fail" doc:"How it stands."`
	Detail string `json:"detail" doc:"For people." example:"9998 / 10000 agents hold every due step"`
}

// PlanStaging is who holds the staged steps, or their cancellation.
type PlanStaging struct {
	Expected int           `json:"expected" doc:"Agents of this replica that the plan concerns."`
	Held     int           `json:"held" doc:"That hold what is staged now."`
	Lacking  []PlanLacking `json:"lacking" doc:"The others, at most 200."`
	Places   []PlanAck     `json:"places" doc:"The same by app and IDC."`
}

// PlanLacking is an agent that does not hold what is staged now.
type PlanLacking struct {
	App      string         `json:"app" doc:"Application."`
	IDC      string         `json:"idc" doc:"Machine room."`
	Instance string         `json:"instance" doc:"Agent."`
	Why      string         `json:"why" enum:"waiting,disconnected,refused" doc:"What is known."`
	Problems []ProblemError `json:"problems,omitempty" doc:"Of a refusal."`
}

// PlanRestore is a line of the restore checklist.
type PlanRestore struct {
	App      string `json:"app" doc:"Application."`
	IDC      string `json:"idc" doc:"Machine room."`
	Restored bool   `json:"restored" doc:"Nothing of the plan stands, and every agent holds the newest orders."`
	Left     string `json:"left,omitempty" doc:"What is left."`
}

// PlanDetail is everything one looks at before, during and after a peak.
type PlanDetail struct {
	Plan
	Now       time.Time      `json:"now" doc:"Reference time, for countdowns."`
	Steps     []PlanStep     `json:"steps" doc:"Of occurrences from the last month to a month ahead, by start."`
	Conflicts []PlanConflict `json:"conflicts" doc:"Of the next occurrence."`
	Readiness []PlanCheck    `json:"readiness" doc:"The list to go through before the peak."`
	Staging   PlanStaging    `json:"staging" doc:"Who holds the steps beforehand."`
	Restore   []PlanRestore  `json:"restore" doc:"The list to go through after it; empty before."`
}

// PlanStepAction acts on a step of one occurrence.
type PlanStepAction struct {
	Occurrence string    `json:"occurrence,omitempty" maxLength:"32" doc:"Which; the nearest that has not ended when empty."`
	Reason     string    `json:"reason" minLength:"1" maxLength:"500" doc:"Why."`
	End        time.Time `json:"end,omitzero" required:"false" doc:"With extend: the new end."`
	For        string    `json:"for,omitempty" maxLength:"32" doc:"With extend, instead of end: from now." example:"10m"`
}

// PlanPreview is what an app x IDC will do from an instant on.
type PlanPreview struct {
	At      time.Time    `json:"at" doc:"Instant."`
	App     string       `json:"app" doc:"Application."`
	IDC     string       `json:"idc" doc:"Machine room."`
	Steps   []string     `json:"steps" doc:"What starts or ends then." example:"midnight-gears starts"`
	Agents  []string     `json:"agents" doc:"Who will be told."`
	Hash    string       `json:"hash" doc:"Of the order set: the real push has the same."`
	Orders  []Order      `json:"orders" doc:"The whole set."`
	Changes []PlanChange `json:"changes" doc:"Against now."`
}

// PlanChange is one order that will differ.
type PlanChange struct {
	Scene  string `json:"scene" doc:"Scene or *."`
	Point  string `json:"point" doc:"Control point."`
	Bucket string `json:"bucket" doc:"Bucket or *."`
	Before *Order `json:"before,omitempty" doc:"Now."`
	After  *Order `json:"after,omitempty" doc:"Then."`
}

// PlanDryRun is a plan played without effect.
type PlanDryRun struct {
	Previews  []PlanPreview  `json:"previews" doc:"Every start and end of the next occurrence, by instant."`
	Conflicts []PlanConflict `json:"conflicts" doc:"With other plans and manual claims."`
}

// Freeze is a time in which nobody changes what machines do.
type Freeze struct {
	ID        string    `json:"id,omitempty" readOnly:"true" doc:"UUIDv7."`
	App       string    `json:"app" maxLength:"63" doc:"Application or *."`
	IDC       string    `json:"idc" maxLength:"63" doc:"Machine room or *."`
	From      time.Time `json:"from" doc:"From then."`
	Until     time.Time `json:"until" doc:"Until then."`
	Reason    string    `json:"reason" minLength:"1" maxLength:"500" doc:"Why; callers that are refused see it."`
	CreatedBy string    `json:"created_by,omitempty" readOnly:"true" doc:"Who."`
}

// GlassInput asks for leave to change things in a freeze.
type GlassInput struct {
	Reason string `json:"reason" minLength:"1" maxLength:"500" doc:"Why."`
	For    string `json:"for" maxLength:"32" doc:"How long, at most 4h." example:"30m"`
}

// Glass is leave to change things in a freeze, with a second person's approval.
type Glass struct {
	ID          string     `json:"id" doc:"Send it as Break-Glass header."`
	RequestedBy string     `json:"requested_by" doc:"Who asked."`
	RequestedAt time.Time  `json:"requested_at" doc:"When."`
	Reason      string     `json:"reason" doc:"Why."`
	Until       time.Time  `json:"until" doc:"How long it counts."`
	ApprovedBy  string     `json:"approved_by,omitempty" doc:"The second person."`
	ApprovedAt  *time.Time `json:"approved_at,omitempty" doc:"When."`
}
