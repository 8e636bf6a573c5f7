package api

import "time"

// Selector says where a binding applies.
type Selector struct {
	Scene string `json:"scene" maxLength:"63" doc:"Scene or *." example:"k2"`
	IDC   string `json:"idc" maxLength:"63" doc:"Machine room or *." example:"*"`
	App   string `json:"app" maxLength:"63" doc:"Application or *." example:"sn"`
	Point string `json:"point" maxLength:"63" doc:"Control point or *." example:"recall"`
}

// BindingInput creates or replaces a binding.
type BindingInput struct {
	Selector Selector `json:"selector" doc:"Where it applies."`
	Template string   `json:"template" minLength:"1" maxLength:"63" doc:"Template name or id." example:"sn-recall"`
	Pin      int      `json:"pin,omitempty" minimum:"0" doc:"Version to hold; 0 follows the newest."`
	Reason   string   `json:"reason,omitempty" maxLength:"500" doc:"Why."`
}

// Binding is which template serves a selector.
type Binding struct {
	ID         string    `json:"id" format:"uuid" doc:"UUIDv7."`
	Selector   Selector  `json:"selector" doc:"Where it applies."`
	TemplateID string    `json:"template_id" doc:"Template."`
	Template   string    `json:"template" doc:"Its name." example:"sn-recall"`
	Pin        int       `json:"pin" doc:"Version held; 0 follows the newest."`
	Version    int64     `json:"version" doc:"The ETag." example:"1"`
	CreatedBy  string    `json:"created_by" doc:"Author."`
	CreatedAt  time.Time `json:"created_at" doc:"When created."`
	UpdatedBy  string    `json:"updated_by" doc:"Last writer."`
	UpdatedAt  time.Time `json:"updated_at" doc:"When last written."`
}

// PreviewInput is a binding that is not saved yet.
type PreviewInput struct {
	ID     string        `json:"id,omitempty" doc:"The binding it would replace."`
	Delete bool          `json:"delete,omitempty" doc:"Preview deleting the binding named by id instead."`
	Put    *BindingInput `json:"put,omitempty" doc:"The binding as it would be."`
}

// Resolution is what one point resolves to.
type Resolution struct {
	PointKey
	BindingID string `json:"binding_id,omitempty" doc:"The binding that wins; absent when none matches."`
	Template  string `json:"template,omitempty" doc:"Its template." example:"sn-recall"`
	Version   int    `json:"version,omitempty" doc:"The template's version." example:"4"`
}

// PreviewChange is a point whose resolution would change.
type PreviewChange struct {
	Before   Resolution `json:"before" doc:"As it is."`
	After    Resolution `json:"after" doc:"As it would be."`
	Machines int        `json:"machines" doc:"Agents concerned." example:"9"`
}

// Preview is what an unsaved binding would do.
type Preview struct {
	Changes  []PreviewChange `json:"changes" doc:"Points that would resolve differently."`
	Refusals []Refusal       `json:"refusals" doc:"Registered builds that would refuse."`
}

// ResolvedPoint is what serves a point, and what lost to it.
type ResolvedPoint struct {
	Resolution
	Candidates []Binding `json:"candidates" doc:"Every binding that covers the point, the winner first."`
}
