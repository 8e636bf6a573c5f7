package archtest

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// A Law finds what breaks it.
type Law struct {
	Name  string
	Says  string
	Check func(*Tree) []string
}

// Laws of the house.
var Laws = []Law{
	{"top", "the top level holds server, agent, web, migrations, proto, deploy, scripts and the files every project has", top},
	{"meet", "server and agent import nothing of each other; they meet in proto. Only servertest, lab and demo may import both", meet},
	{"domain", "a domain room knows no framework, no wire and no adapter: it declares an interface, app wires it", domain},
	{"adapters", "adapters do not import each other", adapters},
	{"home", "a framework lives in one place", home},
	{"std", "the words both sides share import the standard library and each other only", std},
	{"cmd", "a main package imports app, cli, demo and config (or the sidecar) and no other room", cmd},
	{"pure", "a rule never reads the clock: the loop hands it the time", pure},
	{"cycle", "packages do not import in a circle", cycle},
	{"names", "no package is called util, common, helper, types or manager: name what it is about", names},
	{"doc", "each package says what it is for", doc},
	{"words", "what programs say to people stands in " + phrasebook + ", form for form, and the Chinese names each hole: {1} as it is, {1~} worded too, {1-} not at all", wording},
	{"size", "no file is longer than 400 lines", size},
}

func top(t *Tree) (broken []string) {
	allowed := []string{
		"server", "agent", "web", "migrations", "proto", "deploy", "scripts",
		"go.mod", "go.sum", "Makefile", "README.md", "LICENSE",
		"bin", "data", "bench-out", // ignored by git
	}
	for _, name := range t.Top {
		if !strings.HasPrefix(name, ".") && !slices.Contains(allowed, name) {
			broken = append(broken, name+" does not belong at the top level")
		}
	}
	return broken
}

func meet(t *Tree) (broken []string) {
	both := []string{"server/servertest", "server/lab", "server/demo"}
	for _, p := range t.Sorted() {
		if WithinAny(p.Dir, both) {
			continue
		}
		for _, f := range p.Files {
			for _, i := range f.Imports {
				dir, _ := Own(i)
				if Within(p.Dir, "server") && Within(dir, "agent") || Within(p.Dir, "agent") && Within(dir, "server") {
					broken = append(broken, fmt.Sprintf("%s imports %s", f.Path, dir))
				}
			}
		}
	}
	// In a program, not by a detour either. app and cmd start the demo, which
	// is the one door through which the server's binary holds agents.
	doors := append(both, "server/app", "server/cmd", "server/cli")
	for _, p := range t.Sorted() {
		if !Within(p.Dir, "server") || WithinAny(p.Dir, doors) {
			continue
		}
		broken = append(broken, reaches(t, p, func(i string) bool {
			dir, ok := Own(i)
			return ok && Within(dir, "agent")
		}, 2)...)
	}
	return broken
}

var (
	domainRooms = []string{
		"server/fleet", "server/template", "server/scene", "server/allocation", "server/profile", "server/plan",
		"server/planner", "server/control", "server/feedback", "server/quota", "server/push", "server/telemetry",
		"server/leaderboard", "server/alert", "server/experiment", "server/lease", "server/replica", "server/settings", "server/auth", "server/audit",
	}
	adapterRooms = []string{"server/store", "server/redis", "server/agentapi", "server/restapi", "server/opsapi", "server/notify"}
	frameworks   = []string{
		"github.com/gin-gonic/gin", "github.com/danielgtaylor/huma", "gorm.io", "google.golang.org/grpc",
		"google.golang.org/protobuf", "github.com/redis/go-redis", "net/http",
	}
)

func domain(t *Tree) (broken []string) {
	foreign := func(i string) bool {
		dir, own := Own(i)
		return own && WithinAny(dir, adapterRooms) || WithinAny(i, frameworks)
	}
	for _, p := range t.Sorted() {
		if WithinAny(p.Dir, domainRooms) {
			broken = append(broken, reaches(t, p, foreign, 1)...)
		}
	}
	return broken
}

// reaches names the shortest way from a package to an import that must not be
// there, through the project's own packages, at least least steps long.
func reaches(t *Tree, from *Package, forbidden func(string) bool, least int) (broken []string) {
	type step struct {
		pkg *Package
		way string
		n   int
	}
	seen := map[string]bool{from.Dir: true}
	for queue := []step{{from, from.Dir, 1}}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for _, f := range at.pkg.Code() {
			for _, i := range f.Imports {
				if seen[i] {
					continue
				}
				seen[i] = true
				if forbidden(i) {
					if at.n >= least {
						broken = append(broken, fmt.Sprintf("%s -> %s (%s)", at.way, strings.TrimPrefix(i, Module+"/"), f.Path))
					}
					continue
				}
				if dir, own := Own(i); own && t.Packages[dir] != nil {
					queue = append(queue, step{t.Packages[dir], at.way + " -> " + dir, at.n + 1})
				}
			}
		}
	}
	return broken
}

func adapters(t *Tree) (broken []string) {
	for _, p := range t.Sorted() {
		for _, room := range adapterRooms {
			if !Within(p.Dir, room) {
				continue
			}
			others := slices.DeleteFunc(slices.Clone(adapterRooms), func(o string) bool { return o == room })
			broken = append(broken, reaches(t, p, func(i string) bool {
				dir, own := Own(i)
				return own && WithinAny(dir, others)
			}, 1)...)
		}
	}
	return broken
}

// homes says where a framework may be imported by code that is no test.
var homes = []struct {
	framework string
	rooms     []string
}{
	{"gorm.io", []string{"server/store"}},
	{"github.com/redis/go-redis", []string{"server/redis"}},
	{"github.com/prometheus", []string{"server/opsapi"}},
	{"github.com/golang-jwt/jwt", []string{"server/auth"}},
	{"github.com/danielgtaylor/huma", []string{"server/restapi"}},
	{"github.com/gin-gonic/gin", []string{"server/restapi", "agent/middleware/ginmw"}},
	{"google.golang.org/grpc", []string{
		"server/agentapi", "server/servertest", "server/app", "proto/agent",
		"agent/link", "agent/middleware/grpcmw", "agent/sidecar", "agent/agenttest",
	}},
	// storetest is the stores' test suite and brings their databases.
	{"github.com/testcontainers", []string{"server/storetest"}},
	{"testing", []string{"server/storetest", "server/servertest", "agent/agenttest"}},
}

func home(t *Tree) (broken []string) {
	for _, p := range t.Sorted() {
		if Within(p.Dir, "scripts") {
			continue
		}
		for _, f := range p.Code() {
			for _, i := range f.Imports {
				for _, h := range homes {
					if Within(i, h.framework) && !WithinAny(p.Dir, h.rooms) {
						broken = append(broken, fmt.Sprintf("%s imports %s, which lives in %s", f.Path, i, strings.Join(h.rooms, ", ")))
					}
				}
			}
		}
	}
	return broken
}

func std(t *Tree) (broken []string) {
	rooms := []string{"proto/gear", "proto/sketch", "server/api", "server/fault"}
	for _, p := range t.Sorted() {
		if !WithinAny(p.Dir, rooms) {
			continue
		}
		for _, f := range p.Code() {
			for _, i := range f.Imports {
				dir, own := Own(i)
				if first, _, _ := strings.Cut(i, "/"); strings.Contains(first, ".") && !(own && WithinAny(dir, rooms)) {
					broken = append(broken, fmt.Sprintf("%s imports %s", f.Path, i))
				}
			}
		}
	}
	return broken
}

func cmd(t *Tree) (broken []string) {
	may := map[string][]string{
		"server/cmd": {"server/app", "server/cli", "server/demo", "server/config"},
		"agent/cmd":  {"agent/sidecar"},
	}
	for _, p := range t.Sorted() {
		for room, allowed := range may {
			if !Within(p.Dir, room) {
				continue
			}
			for _, f := range p.Code() {
				for _, i := range f.Imports {
					if dir, own := Own(i); own && !WithinAny(dir, allowed) {
						broken = append(broken, fmt.Sprintf("%s imports %s", f.Path, dir))
					}
				}
			}
		}
	}
	return broken
}

func pure(t *Tree) (broken []string) {
	rooms := []string{"server/allocation", "server/leaderboard", "server/plan", "proto/gear"}
	for _, p := range t.Sorted() {
		for _, f := range p.Code() {
			if WithinAny(p.Dir, rooms) || strings.HasPrefix(path.Base(f.Path), "rule") {
				broken = append(broken, f.Clock...)
			}
		}
	}
	return broken
}

func cycle(t *Tree) (broken []string) {
	const open, done = 1, 2
	state := map[string]int{}
	var visit func(dir string, way []string)
	visit = func(dir string, way []string) {
		p := t.Packages[dir]
		if p == nil || state[dir] == done {
			return
		}
		if state[dir] == open {
			broken = append(broken, strings.Join(append(way[slices.Index(way, dir):], dir), " -> "))
			return
		}
		state[dir] = open
		for _, f := range p.Code() {
			for _, i := range f.Imports {
				if next, own := Own(i); own {
					visit(next, append(slices.Clone(way), dir))
				}
			}
		}
		state[dir] = done
	}
	for _, p := range t.Sorted() {
		visit(p.Dir, nil)
	}
	return broken
}

func names(t *Tree) (broken []string) {
	bad := []string{
		"util", "utils", "common", "helper", "helpers", "type", "types",
		"manager", "managers", "misc", "shared", "base", "core", "lib",
	}
	for _, p := range t.Sorted() {
		if slices.Contains(bad, p.Name) || slices.Contains(bad, path.Base(p.Dir)) {
			broken = append(broken, p.Dir)
		}
	}
	return broken
}

func doc(t *Tree) (broken []string) {
	for _, p := range t.Sorted() {
		code := p.Code()
		if len(code) == 0 || !slices.ContainsFunc(code, func(f File) bool { return !f.Generated }) {
			continue
		}
		if !slices.ContainsFunc(code, func(f File) bool { return f.Doc }) {
			broken = append(broken, p.Dir+" has no package comment")
		}
	}
	return broken
}

func size(t *Tree) (broken []string) {
	const most = 400
	files := slices.Clone(t.Web)
	for _, p := range t.Sorted() {
		files = append(files, p.Files...)
	}
	for _, f := range files {
		if f.Lines > most && !f.Generated {
			broken = append(broken, fmt.Sprintf("%s has %d lines", f.Path, f.Lines))
		}
	}
	return broken
}
