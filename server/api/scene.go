package api

import "time"

// ScenePlace is a point of an app.
type ScenePlace struct {
	App   string `json:"app" maxLength:"63" doc:"Application." example:"sn"`
	Point string `json:"point" maxLength:"63" doc:"Control point or external edge." example:"recall"`
}

// SceneNode is a point, or an external edge, in a scene's graph.
type SceneNode struct {
	ID       string     `json:"id" minLength:"1" maxLength:"127" doc:"Unique in the graph." example:"sn/recall"`
	Place    ScenePlace `json:"place" doc:"Where."`
	External bool       `json:"external,omitempty" doc:"A call to another app."`
	Within   string     `json:"within,omitempty" maxLength:"127" doc:"Id of the external edge during which it runs; empty at the top."`
	Network  string     `json:"network,omitempty" maxLength:"32" doc:"Of an external edge." example:"600us"`
	Retries  int        `json:"retries,omitempty" minimum:"0" maximum:"10" doc:"Of an external edge."`
	Timeout  string     `json:"timeout,omitempty" maxLength:"32" doc:"Of an external edge: what is set today; empty leaves it to the table." example:"120ms"`
	FedBy    string     `json:"fed_by,omitempty" maxLength:"127" doc:"Id of the node on whose results it works."`
	X        float64    `json:"x,omitempty" doc:"Where the editor drew it."`
	Y        float64    `json:"y,omitempty" doc:"Where the editor drew it."`
}

// SceneEdge says that one node is over before the other begins.
type SceneEdge struct {
	From string `json:"from" maxLength:"127" doc:"Node id."`
	To   string `json:"to" maxLength:"127" doc:"Node id."`
}

// SceneGraph is what a request passes.
type SceneGraph struct {
	Nodes []SceneNode `json:"nodes" maxItems:"300" doc:"Points and external edges."`
	Edges []SceneEdge `json:"edges" maxItems:"2000" doc:"What is over before what begins."`
}

// SceneDocument is the content of a scene.
type SceneDocument struct {
	Name          string     `json:"name" maxLength:"63" doc:"As requests carry it." example:"k2"`
	Description   string     `json:"description,omitempty" maxLength:"1000" doc:"For people."`
	Target        string     `json:"target" maxLength:"32" doc:"Response time end to end." example:"160ms"`
	Statistic     string     `json:"statistic,omitempty" maxLength:"8" pattern:"^(mean|p[0-9]{1,2}(\\.[0-9]{1,3})?)$" doc:"Of which RT the target speaks: mean (the default), p95, p99 …" example:"mean"`
	Timeout       string     `json:"timeout,omitempty" maxLength:"32" doc:"After which the caller in front gives up." example:"700ms"`
	MaxTimeouts   float64    `json:"max_timeouts,omitempty" minimum:"0" maximum:"1" doc:"Share of timeouts that the caller in front accepts." example:"0.01"`
	Ladder        []string   `json:"ladder,omitempty" maxItems:"20" doc:"Effective targets below the target, falling: steps 2, 3 … of the RT gear." example:"[\"130ms\",\"110ms\"]"`
	From          string     `json:"from,omitempty" maxLength:"32" doc:"Shortest target of the allocation table; 50ms when empty."`
	To            string     `json:"to,omitempty" maxLength:"32" doc:"Longest target of the allocation table; 500ms when empty."`
	Front         ScenePlace `json:"front" doc:"Who measures the scene end to end."`
	FeedbackAlone bool       `json:"feedback_alone,omitempty" doc:"A new target is approached step by step, without a preset."`
	Graph         SceneGraph `json:"graph" doc:"What a request passes."`
}

// Scene is a version of a scene.
type Scene struct {
	ID string `json:"id" format:"uuid" doc:"UUIDv7."`
	SceneDocument
	Version   int64          `json:"version" doc:"The ETag; each write makes an immutable version."`
	Warnings  []ProblemError `json:"warnings" doc:"What is allowed and rarely meant."`
	CreatedBy string         `json:"created_by" doc:"Who."`
	CreatedAt time.Time      `json:"created_at" doc:"When."`
	UpdatedBy string         `json:"updated_by" doc:"Who wrote this version."`
	UpdatedAt time.Time      `json:"updated_at" doc:"When."`
	Reason    string         `json:"reason,omitempty" doc:"Why this version."`
}

// SceneInput writes a scene.
type SceneInput struct {
	SceneDocument
	Reason string `json:"reason,omitempty" maxLength:"500" doc:"Why; kept in the audit log."`
}

// SceneTarget changes the target alone.
type SceneTarget struct {
	Target string `json:"target" maxLength:"32" doc:"Response time end to end." example:"160ms"`
	Reason string `json:"reason" minLength:"1" maxLength:"500" doc:"Why."`
}

// SceneRollback makes an old version the newest again.
type SceneRollback struct {
	Version int64  `json:"version" minimum:"1" doc:"Which."`
	Reason  string `json:"reason" minLength:"1" maxLength:"500" doc:"Why."`
}

// SceneDraftInput asks for a draft.
type SceneDraftInput struct {
	Scene string `json:"scene" minLength:"1" maxLength:"63" doc:"As requests carry it; it need not exist yet." example:"k2"`
}

// SceneDraft is a graph made of what agents reported of followed requests.
type SceneDraft struct {
	Scene string           `json:"scene" doc:"Name."`
	Graph SceneGraph       `json:"graph" doc:"Nodes that the scene has already keep their network, retries, timeout and position: traffic does not tell them."`
	Front *ScenePlace      `json:"front,omitempty" doc:"The point around the whole request, if one was seen."`
	Since *time.Time       `json:"since,omitempty" doc:"When the first of it was reported; what is old counts less."`
	Until *time.Time       `json:"until,omitempty" doc:"When the newest of it was reported."`
	Nodes []SceneDraftNode `json:"nodes" doc:"What speaks for each node."`
	Edges []SceneDraftEdge `json:"edges" doc:"What speaks for each edge."`
	Left  []SceneReason    `json:"left" doc:"What was seen and is not in the graph, and why."`
	New   []string         `json:"new" doc:"Nodes that the scene does not have."`
	Gone  []string         `json:"gone" doc:"Nodes of the scene that were not seen."`
}

// SceneDraftNode says how often a node was met.
type SceneDraftNode struct {
	ID     string `json:"id" doc:"Node id."`
	Seen   int64  `json:"seen" doc:"Followed requests that came to it."`
	Within int64  `json:"within" doc:"Of them, those that came as the graph says."`
}

// SceneDraftEdge says how often an order was seen.
type SceneDraftEdge struct {
	From string `json:"from" doc:"Node id."`
	To   string `json:"to" doc:"Node id."`
	Seen int64  `json:"seen" doc:"Followed requests in which the first was over before the second began."`
	Of   int64  `json:"of" doc:"Followed requests that came to both."`
}

// Judgement is what is wrong or odd with a document that was not saved.
type Judgement struct {
	Problems []ProblemError `json:"problems" doc:"Why it cannot be saved."`
	Warnings []ProblemError `json:"warnings" doc:"What is allowed and rarely meant."`
}

// SceneLive is how a scene stands now.
type SceneLive struct {
	Scene     string        `json:"scene" doc:"Name."`
	Now       time.Time     `json:"now" doc:"Reference time of the answer: what until counts by."`
	Regulated bool          `json:"regulated" doc:"This replica regulates scenes; on another one phase, gear and row are not known."`
	Links     []SceneLink   `json:"links" doc:"One an IDC."`
	Missing   []SceneReason `json:"missing" doc:"Points that keep the scene from having a table."`
	Stale     []SceneReason `json:"stale" doc:"Points whose profile is used though it may no longer say what is true."`
	Served    []SceneServed `json:"served" doc:"Profiles that a table is built from; empty on a replica that builds none."`
	Table     string        `json:"table,omitempty" doc:"Why the allocation table was, or was not, built at the last look."`
}

// SceneServed is a point and the profile that speaks for it.
type SceneServed struct {
	Place   ScenePlace `json:"place" doc:"Where."`
	Profile string     `json:"profile" doc:"Profile id."`
}

// SceneReason is a point and a sentence about it.
type SceneReason struct {
	Place  ScenePlace `json:"place" doc:"Where."`
	Reason string     `json:"reason" doc:"What."`
}

// SceneLink is a scene in an IDC.
type SceneLink struct {
	IDC         string          `json:"idc" doc:"Machine room."`
	TargetMS    float64         `json:"target_ms" doc:"What is wished: a claim's, else the scene's own."`
	EffectiveMS float64         `json:"effective_ms" doc:"Target of the RT gear's step."`
	Step        int             `json:"step" doc:"Of the RT gear; 1 is the target itself."`
	Steps       int             `json:"steps" doc:"How many there are."`
	Phase       string          `json:"phase" enum:"idle,preset,feedback" doc:"Preset: a row of the table is held; feedback: time moves layer by layer."`
	Since       *time.Time      `json:"since,omitempty" doc:"Of the phase."`
	Until       *time.Time      `json:"until,omitempty" doc:"When the preset is handed over to feedback."`
	RowMS       int             `json:"row_ms" doc:"Row of the allocation table in force."`
	Table       int             `json:"table" doc:"Number of the allocation table; 0 without one."`
	Clamped     bool            `json:"clamped" doc:"The target lies outside the table, which gave its nearest row."`
	Scale       float64         `json:"scale" doc:"Row over effective target: what feedback found the table to be off."`
	Reason      string          `json:"reason" doc:"Of the last decision."`
	Trouble     string          `json:"trouble,omitempty" doc:"What keeps it from being regulated."`
	Live        *Metrics        `json:"live,omitempty" doc:"The last complete second, as the front end saw it."`
	Recent      *Metrics        `json:"recent,omitempty" doc:"The last ten seconds."`
	Nodes       []SceneLinkNode `json:"nodes" doc:"The graph's nodes, in its order."`
}

// SceneLinkNode is a node of the link view.
type SceneLinkNode struct {
	ID            string     `json:"id" doc:"Node id."`
	Place         ScenePlace `json:"place" doc:"Where."`
	External      bool       `json:"external,omitempty" doc:"A call to another app."`
	Strategy      string     `json:"strategy,omitempty" doc:"How it is regulated; empty without an order."`
	Level         int        `json:"level,omitempty" doc:"Ordered."`
	MaxLevel      int        `json:"max_level,omitempty" doc:"Highest allowed."`
	Source        string     `json:"source,omitempty" doc:"Where the level, or the timeout of an external edge, comes from."`
	AvailableRTMS float64    `json:"available_rt_ms,omitempty" doc:"Share of the target: a mean."`
	TimeoutMS     float64    `json:"timeout_ms,omitempty" doc:"Of an external edge: a maximum."`
	Live          *Metrics   `json:"live,omitempty" doc:"The last complete second."`
	Recent        *Metrics   `json:"recent,omitempty" doc:"The last ten seconds."`
}
