package servertest_test

import (
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/agent"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/servertest"
)

// BenchmarkConsole opens the console in a browser against a controller with as many
// points as its pages are promised for, all of them reported on by real agents
// every second, and gives what the browser measured (web/e2e/measure.spec.ts).
func BenchmarkConsole(b *testing.B) {
	const scene = "big"
	b.Run("ours/points", func(b *testing.B) {
		s := consoleServer(b, 50, scene, "na61", "na62", "ea119", "ea120", "sh", "zjk")
		for b.Loop() {
			n := browse(b, s, "points", `points: ([0-9]+) rows, median ([0-9.]+) ms, p95 ([0-9.]+) ms`)
			require.EqualValues(b, 300, n[0])
			b.ReportMetric(n[1], "median-ms")
			b.ReportMetric(n[2], "p95-ms")
		}
		b.ReportMetric(0, "ns/op")
	})
	b.Run("ours/links", func(b *testing.B) {
		s := consoleServer(b, 200, scene, "sh", "zjk")
		s.Do("POST", "/scenes", api.SceneInput{SceneDocument: bigScene(scene, 200, 10), Reason: "test"}, nil)
		for b.Loop() {
			n := browse(b, s, "links", `links: ([0-9]+) nodes, find median ([0-9.]+) ms, p95 ([0-9.]+) ms, pan median ([0-9.]+) ms, p95 ([0-9.]+) ms`)
			require.EqualValues(b, 200, n[0])
			for i, metric := range []string{"find-median-ms", "find-p95-ms", "pan-median-ms", "pan-p95-ms"} {
				b.ReportMetric(n[i+1], metric)
			}
		}
		b.ReportMetric(0, "ns/op")
	})
}

// consoleServer starts a controller and in each IDC one agent with so many points
// of app sn that are all called ten times a second, and waits until they are seen.
func consoleServer(b *testing.B, points int, scene string, idcs ...string) *servertest.Server {
	s := servertest.Serve(b, servertest.Settings(b.TempDir()))
	s.Publish(servertest.Recall("recall-tags", 100))
	network := servertest.NewNetwork(s.App.GRPCAddr())
	var begin []func()
	for _, idc := range idcs {
		a := agent.New(agent.Config{
			App: "sn", IDC: idc, Instance: "sn-" + idc, Host: "h", Build: "1", Address: "127.0.0.1:1", EnrolToken: s.App.Local().EnrolToken,
			CPU: func() float64 { return 0.5 }, Log: slog.New(slog.DiscardHandler),
		}, agent.WithDialer(network.Dialer(idc)))
		for i := range points {
			p := a.Point(pointName(i))
			p.Int("tag_count").Range(10, 200).Unit("tags").Default(100)
			sc := a.Scene(scene)
			begin = append(begin, func() {
				d := p.Begin(sc, agent.Request{Load: 1})
				d.End(agent.Result{Elapsed: time.Duration(5+i%40) * time.Millisecond, Outcome: agent.OK})
			})
		}
		require.NoError(b, a.Start(b.Context()))
		b.Cleanup(func() { _ = a.Close() })
	}
	stop := make(chan struct{})
	var calling sync.WaitGroup
	calling.Go(func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				for _, call := range begin {
					call()
				}
			}
		}
	})
	b.Cleanup(func() { close(stop); calling.Wait() })
	s.Bind("recall-tags", "sn", "*")
	servertest.Eventually(b, "every point is seen", func() bool {
		var p api.Page[api.PointState]
		s.Do("GET", "/points?limit=500&scene="+scene, nil, &p)
		seen := 0
		for _, x := range p.Items {
			if x.Recent != nil && x.Recent.Count > 0 && x.Order != nil {
				seen++
			}
		}
		return seen == points*len(idcs)
	})
	return s
}

func pointName(i int) string { return fmt.Sprintf("point-%03d", i) }

// bigScene is a graph of n nodes in ranks of so many, each waiting for two above it.
func bigScene(name string, n, wide int) api.SceneDocument {
	doc := api.SceneDocument{Name: name, Target: "400ms", Front: api.ScenePlace{App: "sn", Point: pointName(0)}}
	id := func(i int) string { return "sn/" + pointName(i) }
	for i := range n {
		doc.Graph.Nodes = append(doc.Graph.Nodes, api.SceneNode{ID: id(i), Place: api.ScenePlace{App: "sn", Point: pointName(i)}})
		if i < wide {
			continue
		}
		above := i - wide
		doc.Graph.Edges = append(doc.Graph.Edges, api.SceneEdge{From: id(above), To: id(i)})
		if beside := above + 1; beside%wide != 0 {
			doc.Graph.Edges = append(doc.Graph.Edges, api.SceneEdge{From: id(beside), To: id(i)})
		}
	}
	return doc
}

// browse runs one measurement of the console's own and gives the numbers it prints.
func browse(b *testing.B, s *servertest.Server, what, pattern string) []float64 {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), "npx", "playwright", "test", "measure", "-g", what)
	cmd.Dir = "../../web"
	cmd.Env = append(os.Environ(), "ALLSPARK_MEASURE=1", "ALLSPARK_E2E_URL="+s.App.Local().URL, "ALLSPARK_E2E_PASSWORD="+s.App.Password())
	out, err := cmd.CombinedOutput()
	require.NoError(b, err, string(out))
	found := regexp.MustCompile(pattern).FindStringSubmatch(string(out))
	require.NotNil(b, found, string(out))
	numbers := make([]float64, len(found)-1)
	for i, text := range found[1:] {
		numbers[i], err = strconv.ParseFloat(text, 64)
		require.NoError(b, err)
	}
	return numbers
}
