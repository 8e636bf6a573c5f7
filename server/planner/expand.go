package planner

import (
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/template"
)

type templateVersion = *template.Version

func expand(v *template.Version) (*gear.LevelTable, error) { return template.Expand(&v.Spec) }
