package api

import "time"

// Allocation describes a stored allocation table.
type Allocation struct {
	Number       int       `json:"number" doc:"1, 2, 3 … within the scene." example:"7"`
	Scene        string    `json:"scene" doc:"Scene." example:"k2"`
	IDC          string    `json:"idc" doc:"Machine room it serves; * for all."`
	SceneVersion int64     `json:"scene_version" doc:"Version of the scene it was built from."`
	InputHash    string    `json:"input_hash" doc:"Names graph and profiles by their content."`
	Cause        string    `json:"cause" doc:"Why it was built."`
	TookMS       float64   `json:"took_ms" doc:"How long that took."`
	Oldest       time.Time `json:"oldest_profile" doc:"When the oldest profile it used was measured."`
	Learned      int       `json:"learned" doc:"Points whose profile was learnt; the others were uploaded."`
	By           string    `json:"by" doc:"Who."`
	At           time.Time `json:"at" doc:"When."`
	FirstMS      int       `json:"first_ms" doc:"Shortest target that can be met."`
	ToMS         int       `json:"to_ms" doc:"Longest target."`
	Effect       float64   `json:"effect" doc:"Of the longest target, value a request."`
	Gap          float64   `json:"gap" doc:"Largest distance to the bound, as a share of it; 0 where rows are exact."`
}

// AllocationTable is a table with its rows.
type AllocationTable struct {
	Allocation
	Statistic string          `json:"statistic" doc:"Of which RT the targets speak." example:"mean"`
	LimitMS   float64         `json:"limit_ms,omitempty" doc:"After which the caller in front gives up."`
	Points    []string        `json:"points" doc:"app/point, in the order of each row's points."`
	Calls     []string        `json:"calls" doc:"External edges, in the order of each row's timeouts."`
	Unlinked  []string        `json:"unlinked" doc:"Points whose supply a pass could not carry: their rows are measured, not optimal."`
	Bounded   bool            `json:"bounded" doc:"A part of the graph was neither series-parallel nor small enough to fix."`
	FastestMS float64         `json:"fastest_ms" doc:"What the least work takes."`
	SlowestMS float64         `json:"slowest_ms" doc:"What the most work within the longest target takes."`
	Rows      []AllocationRow `json:"rows" doc:"One a target, rising."`
}

// AllocationRow is what everybody gets at one target.
type AllocationRow struct {
	TargetMS           int               `json:"target_ms" doc:"Target."`
	RTMS               float64           `json:"rt_ms" doc:"What it takes by the statistic."`
	Effect             float64           `json:"effect" doc:"Value a request."`
	Work               float64           `json:"work_core_ms" doc:"Core-milliseconds a request."`
	Cut                float64           `json:"cut_core_ms" doc:"Of them, spent on results that nobody takes."`
	Idle               float64           `json:"idle_core_ms" doc:"That levels downstream would have spent on results that do not come."`
	PerMS              float64           `json:"effect_per_ms" doc:"Effect that one more millisecond of target earns."`
	PerCoreSecond      float64           `json:"effect_per_core_s" doc:"Effect that one more core-second earns."`
	Points             []AllocationPoint `json:"points" doc:"In the order of the table's points."`
	TimeoutsMS         []float64         `json:"timeouts_ms" doc:"In the order of the table's calls."`
	IsolatedEffect     *float64          `json:"isolated_effect,omitempty" doc:"Effect if each point were regulated by itself."`
	IsolatedCutCoreMS  *float64          `json:"isolated_cut_core_ms,omitempty" doc:"Cut work then."`
	IsolatedWorkCoreMS *float64          `json:"isolated_work_core_ms,omitempty" doc:"Work then."`
}

// AllocationPoint is one point's share of a row.
type AllocationPoint struct {
	Level         int     `json:"level" doc:"Level."`
	RTMS          float64 `json:"rt_ms" doc:"Mean RT there."`
	SetpointMS    float64 `json:"setpoint_ms" doc:"Available RT: stretched to the whole target."`
	Effect        float64 `json:"effect" doc:"Value a request."`
	Work          float64 `json:"work_core_ms" doc:"Core-milliseconds a request."`
	Cut           float64 `json:"cut_core_ms" doc:"Spent on results that nobody takes."`
	Idle          float64 `json:"idle_core_ms" doc:"Not spent for lack of results from above."`
	PerMS         float64 `json:"effect_per_ms" doc:"Effect of the next level, per ms."`
	PerCoreSecond float64 `json:"effect_per_core_s" doc:"Effect of the next level, per core-second."`
}

// AllocationDifference is a target whose row differs between two tables.
type AllocationDifference struct {
	TargetMS    int              `json:"target_ms" doc:"Target."`
	EffectFrom  float64          `json:"effect_from" doc:"In the first table."`
	EffectTo    float64          `json:"effect_to" doc:"In the second."`
	WorkFrom    float64          `json:"work_from_core_ms" doc:"In the first table."`
	WorkTo      float64          `json:"work_to_core_ms" doc:"In the second."`
	Moves       []AllocationMove `json:"moves" doc:"Points whose level differs."`
	ClampedFrom bool             `json:"clamped_from" doc:"The target lies outside the first table."`
	ClampedTo   bool             `json:"clamped_to" doc:"The target lies outside the second."`
}

// AllocationMove is a point whose level differs; 0 where a table does not know it.
type AllocationMove struct {
	Point string `json:"point" doc:"app/point."`
	From  int    `json:"from" doc:"Level in the first table."`
	To    int    `json:"to" doc:"Level in the second."`
}

// AllocationComparison is the difference of two tables.
type AllocationComparison struct {
	From  Allocation             `json:"from" doc:"First table."`
	To    Allocation             `json:"to" doc:"Second table."`
	Items []AllocationDifference `json:"items" doc:"Targets that differ, rising."`
}
