package ginmw_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/agent"
	"github.com/allspark/allspark/agent/agenttest"
	"github.com/allspark/allspark/agent/middleware/ginmw"
	"github.com/allspark/allspark/agent/middleware/httpmw"
)

func TestAPointAroundGinHandlers(t *testing.T) {
	c := agenttest.NewController(agenttest.Options{})
	defer c.Close()
	ag := c.NewAgent(agent.Config{App: "sn", IDC: "et2", Log: slog.New(slog.DiscardHandler)})
	point := ag.Point("serve")
	docs := point.Int("docs").Default(7)
	require.NoError(t, ag.Start(t.Context()))
	defer ag.Close()
	require.NoError(t, c.WaitAgents(t.Context(), 1))

	gin.SetMode(gin.TestMode)
	g := gin.New()
	g.Use(gin.CustomRecoveryWithWriter(nil, func(c *gin.Context, _ any) { c.AbortWithStatus(500) }))
	g.Use(ginmw.Point(point, func(c *gin.Context) (agent.Scene, agent.Request) {
		return ag.Scene(c.Query("scene")), agent.Request{Load: 2}
	}))
	g.GET("/status/:code", func(c *gin.Context) {
		code, _ := strconv.Atoi(c.Param("code"))
		c.String(code, strconv.FormatInt(docs.Get(ginmw.Decision(c)), 10))
	})
	g.GET("/hang", func(c *gin.Context) { <-c.Request.Context().Done() })
	g.GET("/panic", func(*gin.Context) { panic("handler") })
	get := func(path, deadline string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, path+"?scene=k2", nil)
		if deadline != "" {
			r.Header.Set(httpmw.DeadlineHeader, deadline)
		}
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		return w
	}
	require.Equal(t, "7", get("/status/200", "5000").Body.String())
	get("/status/503", "")
	get("/status/429", "no number")
	get("/hang", "20")
	require.Equal(t, 500, get("/panic", "").Code)
	require.Equal(t, 504, get("/status/200", "-3").Code)

	outside, _ := gin.CreateTestContext(httptest.NewRecorder())
	require.EqualValues(t, 7, docs.Get(ginmw.Decision(outside)), "no decision: defaults")
	require.NoError(t, ag.Close())
	var got [5]int64
	var rt time.Duration
	for _, r := range c.Reports() {
		for _, p := range r.Points {
			require.Equal(t, "k2", p.Scene)
			for i, n := range []int64{p.Count, p.OK, p.Errors, p.Timeouts, p.Shed} {
				got[i] += n
			}
			rt += p.RTSum
		}
	}
	require.Equal(t, [5]int64{6, 1, 2, 1, 2}, got)
	require.GreaterOrEqual(t, rt, 20*time.Millisecond)
}
