package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/lab"
	"github.com/allspark/allspark/server/profile"
	"github.com/allspark/allspark/server/scene"
)

// Graph draws what a request of the model passes, from the model's own steps.
func Graph(m *lab.Model) scene.Graph {
	return lab.Graph(m)
}

// Scenes gives the scenes of the sample engine. At its default gears and rate it
// answers in about a quarter of a second.
func Scenes() []scene.Spec {
	m := lab.Standard(1)
	g := Graph(m)
	steps := func(ms ...int) (out []time.Duration) {
		for _, x := range ms {
			out = append(out, time.Duration(x)*time.Millisecond)
		}
		return out
	}
	ladders := map[string][]time.Duration{"k2": steps(300, 260, 220, 190, 160, 130), "feeds": steps(320, 280, 240, 200, 160)}
	about := map[string]string{"k2": "Display ads on the front page.", "feeds": "Ads between posts, refreshed in the background."}
	var out []scene.Spec
	for _, s := range m.Scenes {
		l := ladders[s.Name]
		out = append(out, scene.Spec{
			Name: s.Name, Description: about[s.Name], Target: l[0], Ladder: l[1:], Timeout: s.Timeout, MaxTimeouts: 0.01,
			From: 80 * time.Millisecond, To: 400 * time.Millisecond,
			Front: scene.Place{App: m.Apps[lab.Frontend].Name, Point: m.Points[lab.Entry].Name}, Graph: g,
		})
	}
	return out
}

// SeedScenes makes the sample engine's scenes and learns its profiles, once in the
// life of a database.
func SeedScenes(ctx context.Context, scenes *scene.Service, profiles *profile.Service, cfg Config, now time.Time) error {
	have, err := scenes.List(ctx)
	if err != nil {
		return fmt.Errorf("seed scenes: %w", err)
	}
	missing := false
	for _, spec := range Scenes() {
		there := false
		for _, s := range have {
			there = there || s.Name == spec.Name
		}
		missing = missing || !there
	}
	if !missing {
		return nil
	}
	measured, err := Profiles(cfg, now)
	if err != nil {
		return fmt.Errorf("measure the sample engine: %w", err)
	}
	for _, p := range measured {
		if err := profiles.Learn(ctx, p, once("profile/"+p.Key.String())); err != nil && !fault.Is(err, fault.Duplicate) {
			return fmt.Errorf("seed profile of %s: %w", p.Key, err)
		}
	}
	for _, spec := range Scenes() {
		// One that an operator deleted since stays deleted: the key was used.
		if _, err := scenes.Create(ctx, &spec, once("scene/"+spec.Name)); err != nil && !fault.Is(err, fault.Duplicate) && !fault.Is(err, fault.Conflict) {
			return fmt.Errorf("seed scene %s: %w", spec.Name, err)
		}
	}
	return nil
}
