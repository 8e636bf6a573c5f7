package api

import (
	"encoding/json"
	"time"
)

// TemplateDocument is a template as its author writes it, in JSON or YAML.
type TemplateDocument struct {
	Name        string      `json:"name" maxLength:"63" pattern:"^[a-z0-9][a-z0-9._-]*$" doc:"Unique name." example:"sn-recall"`
	Description string      `json:"description,omitempty" maxLength:"2000" doc:"For people."`
	Tags        []string    `json:"tags,omitempty" maxItems:"32" doc:"For search."`
	Strategy    Strategy    `json:"strategy" doc:"How the level is regulated."`
	Levels      Levels      `json:"levels" doc:"How many gears, and their bounds."`
	Parameters  []Parameter `json:"parameters" maxItems:"64" doc:"The typed parameters."`
	Gears       []Gear      `json:"gears" maxItems:"100" doc:"Anchor gears by rising level; numbers between them are interpolated."`
}

// Strategy is how a level is regulated.
type Strategy struct {
	Kind     string                     `json:"kind" enum:"fixed,central,crowd_rt,external_timeout" doc:"The strategy." example:"fixed"`
	Settings map[string]json.RawMessage `json:"settings,omitempty" doc:"Typed settings of the strategy."`
}

// Levels bounds the gears.
type Levels struct {
	Count   int `json:"count" minimum:"1" maximum:"100" doc:"Number of gears N; levels are 1..N." example:"10"`
	Default int `json:"default,omitempty" doc:"Level without any claim." example:"8"`
	Min     int `json:"min,omitempty" doc:"Floor." example:"1"`
	Max     int `json:"max,omitempty" doc:"Ceiling." example:"10"`
}

// Parameter is a typed parameter of a template.
type Parameter struct {
	Name        string          `json:"name" maxLength:"63" doc:"Name, as the app's code reads it." example:"tag_count"`
	Type        string          `json:"type" enum:"int,float,bool,string,enum,duration" doc:"Type." example:"int"`
	Unit        string          `json:"unit,omitempty" maxLength:"32" doc:"For people." example:"tags"`
	Min         json.RawMessage `json:"min,omitempty" doc:"Lowest value (number, or a duration as \"8ms\")."`
	Max         json.RawMessage `json:"max,omitempty" doc:"Highest value."`
	Step        json.RawMessage `json:"step,omitempty" doc:"Values lie on min + k × step."`
	Values      []string        `json:"values,omitempty" doc:"What an enum may be."`
	Default     json.RawMessage `json:"default,omitempty" doc:"Default."`
	Monotonic   string          `json:"monotonic,omitempty" enum:"none,up,down" doc:"How it should move as the level rises; a warning otherwise."`
	Interpolate string          `json:"interpolate,omitempty" enum:"linear,geometric,step" doc:"How it moves between anchors."`
	Cost        bool            `json:"cost,omitempty" doc:"Marks the parameter that says how much work a level is."`
}

// Gear is an anchor: the parameters of one level.
type Gear struct {
	Level int                        `json:"level" minimum:"1" maximum:"100" doc:"Level." example:"1"`
	Set   map[string]json.RawMessage `json:"set" doc:"Parameter values by name."`
}

// Template is a template's state without its content.
type Template struct {
	ID          string    `json:"id" format:"uuid" doc:"UUIDv7."`
	Name        string    `json:"name" doc:"Unique name." example:"sn-recall"`
	Description string    `json:"description,omitempty" doc:"For people."`
	Tags        []string  `json:"tags" doc:"For search."`
	Strategy    string    `json:"strategy" doc:"Strategy of the newest content." example:"fixed"`
	Levels      int       `json:"levels" doc:"Number of gears of the newest content." example:"10"`
	Parameters  int       `json:"parameters" doc:"Number of parameters of the newest content." example:"3"`
	HasDraft    bool      `json:"has_draft" doc:"Whether something unpublished is being edited."`
	Latest      int       `json:"latest" doc:"Newest published version; 0 when none." example:"4"`
	Version     int64     `json:"version" doc:"Rises with every write: the ETag." example:"12"`
	Bindings    int       `json:"bindings" doc:"How many bindings use it." example:"2"`
	CopiedFrom  string    `json:"copied_from,omitempty" doc:"Template it was copied from."`
	CreatedBy   string    `json:"created_by" doc:"Author."`
	CreatedAt   time.Time `json:"created_at" doc:"When created."`
	UpdatedBy   string    `json:"updated_by" doc:"Last writer."`
	UpdatedAt   time.Time `json:"updated_at" doc:"When last written."`
}

// TemplateDetail is a template with its contents.
type TemplateDetail struct {
	Template
	Draft     *TemplateDocument `json:"draft,omitempty" doc:"What is being edited."`
	Published *TemplateDocument `json:"published,omitempty" doc:"The newest published content."`
}

// TemplateVersion is one published version.
type TemplateVersion struct {
	Number       int               `json:"number" doc:"1, 2, 3 …" example:"4"`
	Hash         string            `json:"hash" doc:"Hash of the expanded level table."`
	Author       string            `json:"author" doc:"Who published it."`
	Reason       string            `json:"reason,omitempty" doc:"Why."`
	RolledBackTo int               `json:"rolled_back_to,omitempty" doc:"The version this one restores."`
	PublishedAt  time.Time         `json:"published_at" doc:"When."`
	Document     *TemplateDocument `json:"document,omitempty" doc:"Content; only when one version is read."`
}

// Publish is the body of publish.
type Publish struct {
	Reason string `json:"reason" minLength:"1" maxLength:"500" doc:"Why; kept with the version." example:"fewer tags in gear 3"`
	Force  bool   `json:"force,omitempty" doc:"Publish although registered builds would refuse it."`
}

// CopyTemplate is the body of copy.
type CopyTemplate struct {
	Name   string `json:"name" minLength:"1" maxLength:"63" pattern:"^[a-z0-9][a-z0-9._-]*$" doc:"Name of the copy." example:"sn-recall-night"`
	From   string `json:"from,omitempty" doc:"draft, latest or a version number; the newest content by default." example:"latest"`
	Reason string `json:"reason,omitempty" maxLength:"500" doc:"Why."`
}

// CopyGear copies one gear's values to others.
type CopyGear struct {
	From       int      `json:"from" minimum:"1" maximum:"100" doc:"Level to copy." example:"3"`
	To         []int    `json:"to" minItems:"1" maxItems:"100" doc:"Levels that get its values." example:"[4,5]"`
	Parameters []string `json:"parameters,omitempty" maxItems:"64" doc:"Only these; all by default."`
	Reason     string   `json:"reason,omitempty" maxLength:"500" doc:"Why."`
}

// Interpolate fills a range of gears between its two ends.
type Interpolate struct {
	From       int      `json:"from" minimum:"1" maximum:"100" doc:"Lower end." example:"1"`
	To         int      `json:"to" minimum:"1" maximum:"100" doc:"Upper end." example:"10"`
	Parameters []string `json:"parameters,omitempty" maxItems:"64" doc:"Only these; all numeric ones by default."`
	Reason     string   `json:"reason,omitempty" maxLength:"500" doc:"Why."`
}

// Rollback restores a version as a new one.
type Rollback struct {
	Version int    `json:"version" minimum:"1" doc:"Version to restore." example:"3"`
	Reason  string `json:"reason" minLength:"1" maxLength:"500" doc:"Why."`
	Force   bool   `json:"force,omitempty" doc:"Although registered builds would refuse it."`
}

// Check is what is wrong, doubtful or refused about a document.
type Check struct {
	OK       bool           `json:"ok" doc:"No problem and no refusal."`
	Problems []ProblemError `json:"problems" doc:"What makes it invalid."`
	Warnings []ProblemError `json:"warnings" doc:"What looks unintended, e.g. a value that falls as levels rise."`
	Refusals []Refusal      `json:"refusals" doc:"Registered builds that would refuse it where it is bound."`
}

// Refusal is a registered build that would refuse, and why.
type Refusal struct {
	App      string         `json:"app" doc:"Application." example:"sn"`
	IDC      string         `json:"idc" doc:"Machine room." example:"ea119"`
	Build    string         `json:"build" doc:"Build." example:"1.2"`
	Point    string         `json:"point" doc:"Control point." example:"recall"`
	Machines int            `json:"machines" doc:"How many agents run it." example:"3"`
	Problems []ProblemError `json:"problems" doc:"Why."`
	Message  string         `json:"message" doc:"In one sentence." example:"3 machines of sn build 1.2 would refuse: tag_count wants int 10..200, got 250 at level 9"`
}

// Table is every level of a template, expanded.
type Table struct {
	Hash       string              `json:"hash" doc:"Hash of the content."`
	Parameters []TableParameter    `json:"parameters" doc:"Columns."`
	Rows       [][]json.RawMessage `json:"rows" doc:"rows[level-1][column]."`
	Work       []float64           `json:"work" doc:"Work factor of each level relative to the highest."`
}

// TableParameter is a column of a Table.
type TableParameter struct {
	Name string `json:"name" doc:"Parameter." example:"tag_count"`
	Type string `json:"type" doc:"Its type." example:"int"`
	Unit string `json:"unit,omitempty" doc:"Its unit." example:"tags"`
}

// Diff is the difference between two documents.
type Diff struct {
	From    string       `json:"from" doc:"What it starts from: draft, latest or a number." example:"3"`
	To      string       `json:"to" doc:"What it goes to." example:"draft"`
	Changes []DiffChange `json:"changes" doc:"Every place that differs, in document order."`
	Levels  []DiffChange `json:"levels" doc:"Every level's values that differ, interpolated ones included: what agents will see."`
}

// DiffChange is one place that differs.
type DiffChange struct {
	Path  string          `json:"path" doc:"Where." example:"gears[3].set.tag_count"`
	Op    string          `json:"op" enum:"add,remove,change" doc:"What happened to it."`
	Level int             `json:"level,omitempty" doc:"The level concerned, if one is."`
	From  json.RawMessage `json:"from,omitempty" doc:"Value before."`
	To    json.RawMessage `json:"to,omitempty" doc:"Value after."`
}

// Usage is where a template is used.
type Usage struct {
	Bindings []Binding  `json:"bindings" doc:"Bindings that name it."`
	Points   []PointKey `json:"points" doc:"Points whose orders come from it now."`
	Machines int        `json:"machines" doc:"Agents that are given its orders." example:"18"`
}
