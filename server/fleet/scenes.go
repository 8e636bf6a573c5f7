package fleet

import (
	"slices"
	"strings"

	"github.com/allspark/allspark/proto/gear"
)

func (r *Registry) learnScenes(session string, rep *gear.Report) {
	r.mu.RLock()
	a := r.sessions[session]
	var app string
	fresh := false
	if a != nil {
		app = a.App
		known := r.scenes[app]
		for i := range rep.Points {
			if _, ok := known[rep.Points[i].Scene]; !ok {
				fresh = true
				break
			}
		}
	}
	r.mu.RUnlock()
	if !fresh {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.scenes[app]
	if known == nil {
		known = map[string]struct{}{}
		r.scenes[app] = known
	}
	for i := range rep.Points {
		if s := rep.Points[i].Scene; gear.PlaceName(s) && len(known) < r.opt.MaxScenes {
			known[strings.Clone(s)] = struct{}{}
		}
	}
}

// Scenes gives the scenes that agents of app have reported; of all apps for "".
func (r *Registry) Scenes(app string) []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var out []string
	for a, scenes := range r.scenes {
		if app == "" || a == app {
			for s := range scenes {
				out = append(out, s)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
