package restapi

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"
)

// row says what each role gets from one operation. The viewer and the operator
// are of app sn in every IDC; "foreign" is an operator of app rank, "elsewhere"
// one of sn in another IDC. want is by role: none, viewer, operator, admin,
// foreign, elsewhere.
type row struct {
	method, path string
	body         func(d *desk) string
	header       func(d *desk) []string
	want         [6]int
}

func text(s string) func(*desk) string { return func(*desk) string { return s } }

func match(version func(d *desk) int64) func(*desk) []string {
	return func(d *desk) []string { return []string{"If-Match", etag(version(d))} }
}

var (
	reason = text(`{"reason":"test"}`)
	snETag = match(func(d *desk) int64 { return d.template.Version })
	banned = func(d *desk) []string {
		d.do("admin", "POST", "/agents/sn-1/ban", `{"reason":"test"}`)
		return nil
	}
	bindETag = match(func(d *desk) int64 { return d.binding.Version })
)

// open is for what every reader may see; mine for what only concerns app sn.
var accessTable = map[string]row{
	"login":           {"POST", "/sessions", text(`{"name":"admin","password":"wrong"}`), nil, [6]int{401, 401, 401, 401, 401, 401}},
	"logout":          {"DELETE", "/sessions/current", nil, nil, [6]int{401, 422, 422, 422, 422, 422}}, // a token has no session
	"me":              {"GET", "/me", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"change-password": {"PUT", "/me/password", text(`{"current":"x","new":"a long new password"}`), nil, [6]int{401, 422, 422, 422, 422, 422}},

	"list-templates":    {"GET", "/templates", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"create-template":   {"POST", "/templates", text(named("fresh")), nil, [6]int{401, 403, 201, 201, 201, 201}},
	"check-document":    {"POST", "/templates/check", text(named("sn-recall")), nil, [6]int{401, 200, 200, 200, 200, 200}},
	"get-template":      {"GET", "/templates/sn-recall", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"delete-template":   {"DELETE", "/templates/sn-recall", nil, snETag, [6]int{401, 403, 409, 409, 403, 403}}, // a binding uses it
	"get-document":      {"GET", "/templates/sn-recall/document", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"save-draft":        {"PUT", "/templates/sn-recall/draft", text(named("sn-recall")), snETag, [6]int{401, 403, 200, 200, 403, 403}},
	"discard-draft":     {"DELETE", "/templates/sn-recall/draft", nil, snETag, [6]int{401, 403, 409, 409, 403, 403}},
	"check-template":    {"GET", "/templates/sn-recall/check", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"get-table":         {"GET", "/templates/sn-recall/table", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"diff-template":     {"GET", "/templates/sn-recall/diff?from=1&to=latest", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"diff-document":     {"POST", "/templates/sn-recall/diff", text(named("sn-recall")), nil, [6]int{401, 200, 200, 200, 200, 200}},
	"list-versions":     {"GET", "/templates/sn-recall/versions", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"get-version":       {"GET", "/templates/sn-recall/versions/1", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"template-usage":    {"GET", "/templates/sn-recall/usage", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"publish-template":  {"POST", "/templates/sn-recall/publish", reason, snETag, [6]int{401, 403, 409, 409, 403, 403}},
	"rollback-template": {"POST", "/templates/sn-recall/rollback", text(`{"version":1,"reason":"test"}`), snETag, [6]int{401, 403, 409, 409, 403, 403}},
	"copy-gear":         {"POST", "/templates/sn-recall/copy-gear", text(`{"from":1,"to":[2]}`), snETag, [6]int{401, 403, 200, 200, 403, 403}},
	"interpolate-gears": {"POST", "/templates/sn-recall/interpolate", text(`{"from":1,"to":10}`), snETag, [6]int{401, 403, 200, 200, 403, 403}},
	"copy-template":     {"POST", "/templates/sn-recall/copy", text(`{"name":"copied"}`), nil, [6]int{401, 403, 201, 201, 201, 201}},

	"list-bindings":   {"GET", "/bindings", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"create-binding":  {"POST", "/bindings", text(`{"selector":{"scene":"k2","idc":"ea119","app":"sn","point":"recall"},"template":"sn-recall"}`), nil, [6]int{401, 403, 201, 201, 403, 403}},
	"preview-binding": {"POST", "/bindings/preview", text(`{"put":{"selector":{"scene":"k2","idc":"ea119","app":"sn","point":"recall"},"template":"rank-score"}}`), nil, [6]int{401, 200, 200, 200, 200, 200}},
	"resolve-point":   {"GET", "/bindings/resolve?scene=k2&idc=ea119&app=sn&point=recall", nil, nil, [6]int{401, 200, 200, 200, 403, 403}},
	"get-binding":     {"GET", "/bindings/{binding}", nil, nil, [6]int{401, 200, 200, 200, 404, 200}},
	"update-binding":  {"PUT", "/bindings/{binding}", text(`{"selector":{"scene":"*","idc":"*","app":"sn","point":"recall"},"template":"sn-recall","pin":1}`), bindETag, [6]int{401, 403, 200, 200, 404, 403}},
	"delete-binding":  {"DELETE", "/bindings/{binding}", nil, bindETag, [6]int{401, 403, 204, 204, 404, 403}},

	"list-claims":   {"GET", "/claims", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"create-claim":  {"POST", "/claims", text(claimOf("sn", 2)), nil, [6]int{401, 403, 201, 201, 403, 403}},
	"get-claim":     {"GET", "/claims/{claim}", nil, nil, [6]int{401, 200, 200, 200, 404, 200}},
	"extend-claim":  {"POST", "/claims/{claim}/extend", text(`{"for":"1h","reason":"test"}`), nil, [6]int{401, 403, 200, 200, 404, 403}},
	"release-claim": {"POST", "/claims/{claim}/release", reason, nil, [6]int{401, 403, 200, 200, 404, 403}},
	"undo-claim":    {"POST", "/claims/{claim}/undo", reason, nil, [6]int{401, 403, 200, 200, 404, 403}},

	"list-plans":       {"GET", "/plans", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"create-plan":      {"POST", "/plans", text(planOf("fresh")), nil, [6]int{401, 403, 201, 201, 403, 403}},
	"dry-run-plan":     {"POST", "/plans/dry-run", text(planOf("fresh")), nil, [6]int{401, 200, 200, 200, 403, 403}},
	"get-plan":         {"GET", "/plans/peak", nil, nil, [6]int{401, 200, 200, 200, 404, 200}},
	"update-plan":      {"PUT", "/plans/peak", text(planOf("peak")), match(func(*desk) int64 { return 1 }), [6]int{401, 403, 200, 200, 404, 403}},
	"delete-plan":      {"DELETE", "/plans/peak", nil, match(func(*desk) int64 { return 1 }), [6]int{401, 403, 204, 204, 404, 403}},
	"export-plan":      {"GET", "/plans/peak/export?format=ics", nil, nil, [6]int{401, 200, 200, 200, 404, 200}},
	"approve-plan":     {"POST", "/plans/peak/approve", reason, nil, [6]int{401, 403, 200, 200, 404, 403}},
	"hold-plan":        {"POST", "/plans/peak/hold", reason, nil, [6]int{401, 403, 409, 409, 404, 403}}, // a draft is not held
	"resume-plan":      {"POST", "/plans/peak/resume", reason, nil, [6]int{401, 403, 409, 409, 404, 403}},
	"stop-plan":        {"POST", "/plans/peak/stop", reason, nil, [6]int{401, 403, 409, 409, 404, 403}},
	"skip-plan-step":   {"POST", "/plans/peak/steps/gears/skip", reason, nil, [6]int{401, 403, 409, 409, 404, 403}},
	"run-plan-step":    {"POST", "/plans/peak/steps/gears/run", reason, nil, [6]int{401, 403, 409, 409, 404, 403}},
	"extend-plan-step": {"POST", "/plans/peak/steps/gears/extend", text(`{"reason":"test","for":"10m"}`), nil, [6]int{401, 403, 409, 409, 404, 403}},

	"plan-timeline":     {"GET", "/plan-timeline", nil, nil, [6]int{401, 200, 200, 200, 200, 200}}, // of the plans each may see
	"plan-war-log":      {"GET", "/plans/peak/war-log", nil, nil, [6]int{401, 200, 200, 200, 404, 403}},
	"rehearse-plan":     {"POST", "/plans/peak/rehearsals", text(`{"peak":4,"reason":"test"}`), nil, [6]int{401, 403, 201, 201, 404, 403}},
	"list-rehearsals":   {"GET", "/plans/peak/rehearsals", nil, nil, [6]int{401, 200, 200, 200, 404, 200}},
	"get-rehearsal":     {"GET", "/plans/peak/rehearsals/00000000-0000-0000-0000-000000000000", nil, nil, [6]int{401, 404, 404, 404, 404, 404}},
	"compare-rehearsal": {"GET", "/plans/peak/rehearsals/00000000-0000-0000-0000-000000000000/comparison", nil, nil, [6]int{401, 404, 404, 404, 404, 403}},

	"list-freezes":          {"GET", "/freezes", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"create-freeze":         {"POST", "/freezes", text(`{"app":"sn","idc":"*","from":"2000-01-02T00:00:00Z","until":"2000-01-03T00:00:00Z","reason":"peak"}`), nil, [6]int{401, 403, 403, 201, 403, 403}},
	"delete-freeze":         {"DELETE", "/freezes/00000000-0000-0000-0000-000000000000", nil, nil, [6]int{401, 403, 403, 404, 403, 403}},
	"list-break-glass":      {"GET", "/break-glass", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"request-break-glass":   {"POST", "/break-glass", text(`{"reason":"it burns","for":"30m"}`), nil, [6]int{401, 403, 201, 201, 201, 201}},
	"approve-break-glass":   {"POST", "/break-glass/00000000-0000-0000-0000-000000000000/approve", reason, nil, [6]int{401, 403, 404, 404, 404, 404}},
	"list-protected-scenes": {"GET", "/protected-scenes", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"protect-scene":         {"PUT", "/protected-scenes/k2", nil, nil, [6]int{401, 403, 403, 204, 403, 403}},
	"unprotect-scene":       {"DELETE", "/protected-scenes/k2", nil, nil, [6]int{401, 403, 403, 204, 403, 403}},

	"list-quota-groups":  {"GET", "/quota-groups", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"create-quota-group": {"POST", "/quota-groups", text(quotaOf("fresh", "sn", "prerank", 1000)), nil, [6]int{401, 403, 201, 201, 403, 403}},
	"get-quota-group":    {"GET", "/quota-groups/sn-rank", nil, nil, [6]int{401, 200, 200, 200, 404, 200}},
	"update-quota-group": {"PUT", "/quota-groups/sn-rank", text(quotaOf("sn-rank", "sn", "rank", 2000)), quotaETag, [6]int{401, 403, 200, 200, 404, 403}},
	"delete-quota-group": {"DELETE", "/quota-groups/sn-rank", nil, quotaETag, [6]int{401, 403, 204, 204, 404, 403}},
	"quota-history":      {"GET", "/quota-groups/sn-rank/history?step=minute", nil, nil, [6]int{401, 200, 200, 200, 404, 200}},
	"calibrate-quota":    {"GET", "/quota-groups/sn-rank/calibration", nil, nil, [6]int{401, 200, 200, 200, 404, 200}},
	"simulate-quota":     {"POST", "/quota-groups/sn-rank/simulate", text(`{"settings":` + quotaSettings(3000) + `,"arrivals":[100,100,400]}`), nil, [6]int{401, 200, 200, 200, 404, 200}},

	"list-alerts":       {"GET", "/alerts", nil, nil, [6]int{401, 200, 200, 200, 200, 200}}, // of the caller's apps only, see TestAlertsKeepToTheScope
	"get-alert":         {"GET", "/alerts/" + alertID, nil, nil, [6]int{401, 200, 200, 200, 404, 404}},
	"ack-alert":         {"POST", "/alerts/" + alertID + "/ack", text(`{"note":"on it"}`), nil, [6]int{401, 403, 200, 200, 404, 404}},
	"list-silences":     {"GET", "/alert-silences", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"create-silence":    {"POST", "/alert-silences", text(`{"scope":{"app":"sn","idc":"ea119"},"reason":"repair","for":"1h"}`), nil, [6]int{401, 403, 201, 201, 403, 403}},
	"end-silence":       {"POST", "/alert-silences/00000000-0000-0000-0000-000000000000/end", reason, nil, [6]int{401, 403, 404, 404, 404, 404}},
	"list-alert-rules":  {"GET", "/alert-rules", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"update-alert-rule": {"PUT", "/alert-rules/bad_machine", text(`{"enabled":true,"severity":"critical","threshold":0.5,"for":"10s","clear":"1m"}`), match(func(*desk) int64 { return 0 }), [6]int{401, 403, 403, 200, 403, 403}},
	"list-alert-sinks":  {"GET", "/alert-sinks", nil, nil, [6]int{401, 403, 403, 200, 403, 403}},
	"create-alert-sink": {"POST", "/alert-sinks", text(sinkOf("fresh")), nil, [6]int{401, 403, 403, 201, 403, 403}},
	"get-alert-sink":    {"GET", "/alert-sinks/chat", nil, nil, [6]int{401, 403, 403, 200, 403, 403}},
	"update-alert-sink": {"PUT", "/alert-sinks/chat", text(`{"name":"chat","kind":"slack","enabled":false,"resolved":false}`), match(func(*desk) int64 { return 1 }), [6]int{401, 403, 403, 200, 403, 403}},
	"delete-alert-sink": {"DELETE", "/alert-sinks/chat", nil, match(func(*desk) int64 { return 1 }), [6]int{401, 403, 403, 204, 403, 403}},
	"test-alert-sink":   {"POST", "/alert-sinks/nobody/test", nil, nil, [6]int{401, 403, 403, 404, 403, 403}},

	"list-experiments":  {"GET", "/experiments", nil, nil, [6]int{401, 200, 200, 200, 200, 200}}, // of the caller's apps only
	"create-experiment": {"POST", "/experiments", text(experimentOf("fresh")), nil, [6]int{401, 403, 201, 201, 403, 403}},
	"get-experiment":    {"GET", "/experiments/" + experimentID, nil, nil, [6]int{401, 200, 200, 200, 404, 200}},
	"update-experiment": {"PUT", "/experiments/" + experimentID, text(experimentOf("dynamic")), match(func(*desk) int64 { return 1 }), [6]int{401, 403, 200, 200, 404, 403}},
	"delete-experiment": {"DELETE", "/experiments/" + experimentID, nil, match(func(*desk) int64 { return 1 }), [6]int{401, 403, 204, 204, 404, 403}},
	"start-experiment":  {"POST", "/experiments/" + experimentID + "/start", reason, nil, [6]int{401, 403, 200, 200, 404, 403}},
	"stop-experiment":   {"POST", "/experiments/" + experimentID + "/stop", reason, nil, [6]int{401, 403, 409, 409, 404, 403}},
	"experiment-result": {"GET", "/experiments/" + experimentID + "/result", nil, nil, [6]int{401, 200, 200, 200, 404, 200}},

	"list-scenes":         {"GET", "/scenes", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"create-scene":        {"POST", "/scenes", text(sceneOf("feeds", "300ms")), nil, [6]int{401, 403, 403, 201, 403, 403}}, // a scene crosses apps
	"check-scene":         {"POST", "/scenes/check", text(sceneOf("feeds", "300ms")), nil, [6]int{401, 200, 200, 200, 200, 200}},
	"draft-scene":         {"POST", "/scenes/draft", text(`{"scene":"feeds"}`), nil, [6]int{401, 200, 200, 200, 200, 200}},
	"get-scene":           {"GET", "/scenes/k2", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"update-scene":        {"PUT", "/scenes/k2", text(sceneOf("k2", "160ms")), sceneETag, [6]int{401, 403, 403, 200, 403, 403}},
	"set-scene-target":    {"PUT", "/scenes/k2/target", text(`{"target":"160ms","reason":"test"}`), sceneETag, [6]int{401, 403, 403, 200, 403, 403}},
	"rollback-scene":      {"POST", "/scenes/k2/rollback", text(`{"version":1,"reason":"test"}`), sceneETag, [6]int{401, 403, 403, 200, 403, 403}},
	"delete-scene":        {"DELETE", "/scenes/k2", nil, sceneETag, [6]int{401, 403, 403, 204, 403, 403}},
	"list-scene-versions": {"GET", "/scenes/k2/versions", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"scene-live":          {"GET", "/scenes/k2/live", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},              // of the caller's apps and IDCs
	"scene-history":       {"GET", "/scenes/k2/history?idc=ea119", nil, nil, [6]int{401, 200, 200, 200, 200, 200}}, // of the caller's apps
	"list-allocations":    {"GET", "/scenes/k2/allocations", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"rebuild-allocation":  {"POST", "/scenes/k2/allocations", reason, nil, [6]int{401, 403, 403, 201, 403, 403}},
	"get-allocation":      {"GET", "/scenes/k2/allocations/0", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"export-allocation":   {"GET", "/scenes/k2/allocations/1/export?format=csv", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"compare-allocations": {"GET", "/scenes/k2/allocation-comparison?from=1&to=0", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"list-profiles":       {"GET", "/profiles", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"upload-profile":      {"POST", "/profiles", text(uploadOf("sn", "prerank")), nil, [6]int{401, 403, 201, 201, 403, 403}},
	"check-profile":       {"POST", "/profiles/check", text(uploadOf("sn", "prerank")), nil, [6]int{401, 200, 200, 200, 200, 200}},
	"get-profile":         {"GET", "/profiles/{profile}", nil, nil, [6]int{401, 200, 200, 200, 404, 200}},
	"delete-profile":      {"DELETE", "/profiles/{profile}", nil, profileETag, [6]int{401, 403, 204, 204, 404, 403}},

	"list-apps":     {"GET", "/apps", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"list-points":   {"GET", "/points", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"get-point":     {"GET", "/points/*/ea119/sn/recall", nil, nil, [6]int{401, 200, 200, 200, 404, 404}},
	"explain-point": {"GET", "/points/k2/ea119/sn/recall/explain", nil, nil, [6]int{401, 200, 200, 200, 404, 404}},
	"point-agents":  {"GET", "/points/*/ea119/sn/recall/agents", nil, nil, [6]int{401, 200, 200, 200, 404, 404}},
	"point-crowds":  {"GET", "/points/*/ea119/sn/recall/crowds?agents=true", nil, nil, [6]int{401, 200, 200, 200, 404, 404}},
	"get-demo":      {"GET", "/demo", nil, nil, [6]int{401, 404, 404, 404, 404, 404}}, // no sample engine at this desk
	"set-demo":      {"PUT", "/demo", text(`{"rate":80}`), nil, [6]int{401, 403, 403, 404, 403, 403}},
	"get-history":   {"GET", "/history?app=sn&idc=ea119&scene=k2&point=recall", nil, nil, [6]int{401, 200, 200, 200, 200, 200}}, // foreign: empty, see below

	"get-leaderboard":    {"GET", "/leaderboard?window=1h", nil, nil, [6]int{401, 200, 200, 200, 200, 200}}, // rows of the caller's apps only, see below
	"export-leaderboard": {"GET", "/leaderboard/export", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},

	"list-agents": {"GET", "/agents", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"get-agent":   {"GET", "/agents/sn-1", nil, nil, [6]int{401, 200, 200, 200, 404, 404}},
	"ban-agent":   {"POST", "/agents/sn-1/ban", reason, nil, [6]int{401, 403, 200, 200, 404, 404}},
	"unban-agent": {"POST", "/agents/sn-1/unban", reason, banned, [6]int{401, 403, 200, 200, 404, 404}},

	"list-changes":    {"GET", "/changes", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"get-change":      {"GET", "/changes/{revision}", nil, nil, [6]int{401, 200, 200, 200, 404, 404}},
	"change-progress": {"GET", "/changes/{revision}/progress", nil, nil, [6]int{401, 200, 200, 200, 404, 404}},
	"undo-change":     {"POST", "/changes/{revision}/undo", reason, nil, [6]int{401, 403, 200, 200, 404, 404}},

	"events": {"GET", "/events", nil, nil, [6]int{401, 200, 200, 200, 200, 200}}, // what each may see: TestEventsKeepToTheScope

	"list-audit":   {"GET", "/audit", nil, nil, [6]int{401, 403, 200, 200, 200, 200}},
	"export-audit": {"GET", "/audit/export", nil, nil, [6]int{401, 403, 200, 200, 200, 200}},
	"verify-audit": {"GET", "/audit/verification", nil, nil, [6]int{401, 403, 403, 200, 403, 403}},

	"list-users":     {"GET", "/users", nil, nil, [6]int{401, 403, 403, 200, 403, 403}},
	"create-user":    {"POST", "/users", text(`{"name":"bob","grants":[]}`), nil, [6]int{401, 403, 403, 201, 403, 403}},
	"get-user":       {"GET", "/users/admin", nil, nil, [6]int{401, 403, 403, 200, 403, 403}},
	"update-user":    {"PUT", "/users/admin", text(`{"grants":[{"role":"admin","app":"*","idc":"*"}]}`), match(func(*desk) int64 { return 1 }), [6]int{401, 403, 403, 200, 403, 403}},
	"delete-user":    {"DELETE", "/users/admin", nil, match(func(*desk) int64 { return 1 }), [6]int{401, 403, 403, 409, 403, 403}}, // the last administrator
	"reset-password": {"POST", "/users/admin/password", reason, nil, [6]int{401, 403, 403, 200, 403, 403}},
	"sign-out-user":  {"POST", "/users/admin/sign-out", reason, nil, [6]int{401, 403, 403, 204, 403, 403}},

	"list-tokens":            {"GET", "/tokens", nil, nil, [6]int{401, 403, 403, 200, 403, 403}},
	"create-token":           {"POST", "/tokens", text(`{"name":"ci","grants":[{"role":"viewer","app":"sn","idc":"*"}]}`), nil, [6]int{401, 403, 403, 201, 403, 403}},
	"revoke-token":           {"DELETE", "/tokens/00000000-0000-0000-0000-000000000000", nil, nil, [6]int{401, 403, 403, 404, 403, 403}},
	"list-enrolment-tokens":  {"GET", "/enrolment-tokens", nil, nil, [6]int{401, 403, 403, 200, 403, 403}},
	"create-enrolment-token": {"POST", "/enrolment-tokens", text(`{"name":"sn","app":"sn","idc":"*"}`), nil, [6]int{401, 403, 403, 201, 403, 403}},
	"revoke-enrolment-token": {"DELETE", "/enrolment-tokens/00000000-0000-0000-0000-000000000000", nil, nil, [6]int{401, 403, 403, 404, 403, 403}},

	"get-wall":        {"GET", "/wall", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"status":          {"GET", "/status", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"get-settings":    {"GET", "/settings", nil, nil, [6]int{401, 200, 200, 200, 200, 200}},
	"update-settings": {"PUT", "/settings", text(`{"retention_minutes":"24h","retention_hours":"48h","stale_after":"5s","forget_after":"1h"}`), match(func(*desk) int64 { return 0 }), [6]int{401, 403, 403, 200, 403, 403}},
}

var roles = [6]string{"", "viewer", "operator", "admin", "foreign", "elsewhere"}

func TestEveryRouteHasItsRowOfAccess(t *testing.T) {
	s := New(Deps{})
	seen := map[string]bool{}
	for path, item := range s.api.OpenAPI().Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Delete, item.Patch, item.Head, item.Options} {
			if op == nil {
				continue
			}
			require.Contains(t, accessTable, op.OperationID, "%s %s has no row in the access table", op.Method, path)
			require.Equal(t, op.Method, accessTable[op.OperationID].method, op.OperationID)
			seen[op.OperationID] = true
		}
	}
	require.Len(t, accessTable, len(seen), "the table has rows of routes that are gone")
}

// savesNothing lists the POSTs that only answer.
var savesNothing = map[string]bool{"preview-binding": true, "dry-run-plan": true, "check-document": true, "diff-document": true, "check-scene": true, "draft-scene": true, "check-profile": true, "simulate-quota": true}

func TestRefusalsAndReads(t *testing.T) {
	withDesk(t, func(d *desk) {
		banned(d) // so that the row of unban changes nothing by its preparation
		before := d.entries()
		for id, r := range accessTable {
			if id == "unban-agent" {
				r.header = nil
			}
			for i, role := range roles {
				if r.want[i] >= 400 || r.method == "GET" || savesNothing[id] {
					require.Equal(d.t, r.want[i], d.try(r, role), "%s as %q", id, role)
				}
			}
		}
		require.Equal(d.t, before, d.entries(), "a refused request or a read was recorded as a change")
	})
}

func TestWritesByTheLeastWhoMay(t *testing.T) {
	for id, r := range accessTable {
		least := slices.IndexFunc(r.want[:], func(status int) bool { return status < 400 })
		if r.method == "GET" || least < 0 {
			continue
		}
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			withDesk(t, func(d *desk) {
				before := d.entries()
				require.Equal(d.t, r.want[least], d.try(r, roles[least]), "as %q", roles[least])
				if !savesNothing[id] {
					require.Greater(d.t, d.entries(), before, "a change was not recorded")
				}
			})
		})
	}
}

func (d *desk) try(r row, role string) int {
	path := strings.NewReplacer("{profile}", d.profile.ID, "{binding}", d.binding.ID, "{claim}", d.claim.ID, "{revision}", fmt.Sprint(d.revision())).Replace(r.path)
	body, headers := "", []string(nil)
	if r.body != nil {
		body = r.body(d)
	}
	if r.header != nil {
		headers = r.header(d)
	}
	if r.path == "/events" && role != "" {
		return d.stream(role, "").status
	}
	w := d.do(role, r.method, path, body, headers...)
	if w.Code >= 400 {
		d.refused(w, w.Code)
	}
	return w.Code
}
