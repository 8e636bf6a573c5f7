package store

import (
	"github.com/allspark/allspark/server/control"
)

type versionRefDoc struct {
	TemplateID string `json:"template_id"`
	Name       string `json:"name,omitempty"`
	Number     int    `json:"number"`
	Latest     bool   `json:"latest,omitempty"`
}

type basisDoc struct {
	Now      micros           `json:"now"`
	Points   []string         `json:"points,omitempty"`
	Scenes   []string         `json:"scenes,omitempty"`
	Bindings []*bindingRecord `json:"bindings,omitempty"`
	Versions []versionRefDoc  `json:"versions,omitempty"`
	Claims   []*claimRecord   `json:"claims,omitempty"`
}

func toBasisDoc(b *control.Basis) *basisDoc {
	return &basisDoc{
		Now: at(b.Now), Points: b.Points, Scenes: b.Scenes, Bindings: each(b.Bindings, toBindingRecord),
		Versions: each(b.Versions, func(v control.VersionRef) versionRefDoc { return versionRefDoc(v) }),
		Claims:   each(b.Claims, toClaimRecord),
	}
}

func (d *basisDoc) basis() control.Basis {
	return control.Basis{
		Now: d.Now.time(), Points: d.Points, Scenes: d.Scenes, Bindings: each(d.Bindings, fromBindingRecord),
		Versions: each(d.Versions, func(v versionRefDoc) control.VersionRef { return control.VersionRef(v) }),
		Claims:   each(d.Claims, fromClaimRecord),
	}
}
