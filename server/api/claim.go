package api

import "time"

// Scope says where a claim applies.
type Scope struct {
	Scene  string `json:"scene" maxLength:"63" doc:"Scene or *." example:"k2"`
	IDC    string `json:"idc" maxLength:"63" doc:"Machine room or *." example:"ea119"`
	App    string `json:"app" maxLength:"63" doc:"Application or *." example:"sn"`
	Point  string `json:"point" maxLength:"63" doc:"Control point or *." example:"recall"`
	Bucket string `json:"bucket,omitempty" maxLength:"63" doc:"Traffic bucket; * (the default) for all."`
}

// ClaimInput sets one field in a scope until an end.
type ClaimInput struct {
	Field    string    `json:"field" enum:"level,strategy,available_rt,timeout,target_rt,budget,binding" doc:"What is set." example:"level"`
	Scope    Scope     `json:"scope" doc:"Where."`
	Level    int       `json:"level,omitempty" minimum:"0" maximum:"100" doc:"With field level." example:"3"`
	Duration string    `json:"duration,omitempty" doc:"With available_rt, timeout and target_rt." example:"8ms"`
	Strategy string    `json:"strategy,omitempty" enum:"fixed,central,crowd_rt,external_timeout" doc:"With field strategy."`
	Number   float64   `json:"number,omitempty" doc:"With field budget."`
	Template string    `json:"template,omitempty" doc:"With field binding: template name or id."`
	Pin      int       `json:"pin,omitempty" minimum:"0" doc:"With field binding: version, 0 for the newest."`
	Reason   string    `json:"reason" minLength:"1" maxLength:"500" doc:"Why." example:"RT of k2 above target"`
	For      string    `json:"for,omitempty" doc:"How long it holds, from now; 30m when neither for nor end is given." example:"30m"`
	End      time.Time `json:"end,omitzero" required:"false" doc:"When it ends, instead of for."`
}

// Claim is a wish that a field be so.
type Claim struct {
	ID         string     `json:"id" format:"uuid" doc:"UUIDv7."`
	Field      string     `json:"field" doc:"What is set." example:"level"`
	Scope      Scope      `json:"scope" doc:"Where."`
	Value      string     `json:"value" doc:"What it is set to, for people." example:"level 3"`
	Level      int        `json:"level,omitempty" doc:"With field level."`
	Duration   string     `json:"duration,omitempty" doc:"With available_rt, timeout and target_rt."`
	Strategy   string     `json:"strategy,omitempty" doc:"With field strategy."`
	Number     float64    `json:"number,omitempty" doc:"With field budget."`
	Template   string     `json:"template,omitempty" doc:"With field binding."`
	Pin        int        `json:"pin,omitempty" doc:"With field binding."`
	Source     string     `json:"source" enum:"emergency,manual,plan,experiment,preset,feedback,template" doc:"Who wishes it, by precedence."`
	Origin     string     `json:"origin,omitempty" doc:"The plan step, rule … that made it."`
	Author     string     `json:"author" doc:"Who."`
	Reason     string     `json:"reason" doc:"Why."`
	Start      time.Time  `json:"start" doc:"When it starts to count."`
	End        *time.Time `json:"end,omitempty" doc:"When it ends."`
	Released   *time.Time `json:"released,omitempty" doc:"When it was released before its end."`
	ReleasedBy string     `json:"released_by,omitempty" doc:"By whom."`
	Active     bool       `json:"active" doc:"Whether it counts now."`
	CreatedAt  time.Time  `json:"created_at" doc:"When made."`
	Version    int64      `json:"version" doc:"The ETag."`
}

// Extend moves a claim's end.
type Extend struct {
	For    string    `json:"for,omitempty" doc:"From now." example:"30m"`
	End    time.Time `json:"end,omitzero" required:"false" doc:"When it ends, instead of for."`
	Reason string    `json:"reason" minLength:"1" maxLength:"500" doc:"Why."`
}
