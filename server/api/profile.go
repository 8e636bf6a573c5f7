package api

import "time"

// Profile is what the levels of a point cost and earn.
type Profile struct {
	ID              string         `json:"id" format:"uuid" doc:"UUIDv7."`
	App             string         `json:"app" doc:"Application." example:"sn"`
	Point           string         `json:"point" doc:"Control point." example:"recall"`
	Scene           string         `json:"scene" doc:"Scene; * for all." example:"k2"`
	Table           string         `json:"table,omitempty" doc:"Hash of the level table it was measured with."`
	Template        string         `json:"template,omitempty" doc:"Name of the template, for people."`
	TemplateVersion int            `json:"template_version,omitempty" doc:"Its version."`
	Source          string         `json:"source" enum:"uploaded,learned" doc:"Where it comes from."`
	Classes         []ProfileClass `json:"classes" doc:"Load classes."`
	Levels          []ProfileLevel `json:"levels,omitempty" doc:"Level 1 first; left out of lists."`
	LevelCount      int            `json:"level_count" doc:"How many levels."`
	Samples         int64          `json:"samples" doc:"Requests measured; 0 when not told."`
	MeasuredAt      time.Time      `json:"measured_at" doc:"When the newest of the data was measured."`
	AgeMS           int64          `json:"age_ms" doc:"How long ago that is."`
	Stale           bool           `json:"stale" doc:"It may no longer say what is true."`
	StaleReason     string         `json:"stale_reason,omitempty" doc:"Why."`
	Warnings        []ProblemError `json:"warnings" doc:"What is allowed and rarely meant."`
	Version         int64          `json:"version" doc:"The ETag."`
	UpdatedBy       string         `json:"updated_by" doc:"Who."`
	UpdatedAt       time.Time      `json:"updated_at" doc:"When."`
}

// ProfileClass is a class of load.
type ProfileClass struct {
	Name  string  `json:"name" doc:"Name." example:"heavy"`
	Share float64 `json:"share" doc:"Of the requests." example:"0.15"`
}

// ProfileLevel is one level.
type ProfileLevel struct {
	MeanMS  float64             `json:"rt_mean_ms" doc:"Mean RT over all classes."`
	RT      [][]ProfileQuantile `json:"rt" doc:"By class."`
	Work    float64             `json:"work_core_ms" doc:"Core-milliseconds a request."`
	Effect  float64             `json:"effect" doc:"Value a request."`
	Output  float64             `json:"output,omitempty" doc:"Results handed on."`
	Cap     float64             `json:"cap,omitempty" doc:"Results taken from above at most."`
	Samples int64               `json:"samples,omitempty" doc:"Requests measured; 0 when filled in between neighbours."`
}

// ProfileQuantile is a point of a distribution.
type ProfileQuantile struct {
	Q  float64 `json:"q" doc:"0..1." example:"0.99"`
	MS float64 `json:"ms" doc:"RT." example:"12.5"`
}

// ProfileUpload is a document with what it is of.
type ProfileUpload struct {
	App             string    `json:"app" maxLength:"63" doc:"Application."`
	Point           string    `json:"point" maxLength:"63" doc:"Control point."`
	Scene           string    `json:"scene,omitempty" maxLength:"63" doc:"Scene; * (the default) for all."`
	Table           string    `json:"table,omitempty" maxLength:"64" doc:"Hash of the level table it was measured with."`
	Template        string    `json:"template,omitempty" maxLength:"63" doc:"Name of the template, for people."`
	TemplateVersion int       `json:"template_version,omitempty" minimum:"0" doc:"Its version."`
	Format          string    `json:"format" enum:"csv,json" doc:"Of the document."`
	Document        string    `json:"document" doc:"CSV with a header line: level, effect and work; p1 … p99.9 in ms, or rt_ms; class and share; output, cap, samples. Or the same as JSON."`
	MeasuredAt      time.Time `json:"measured_at,omitzero" required:"false" doc:"When; now when left out."`
	Replaces        int64     `json:"replaces,omitempty" minimum:"0" doc:"Version of the uploaded profile it replaces; 0 for a new one."`
	Reason          string    `json:"reason,omitempty" maxLength:"500" doc:"Why."`
}
