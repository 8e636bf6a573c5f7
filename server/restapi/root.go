package restapi

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
)

// rootRoutes are outside the API: the document, its page, and probes.
func (s *Server) rootRoutes() {
	// Anybody may ask, and routes never change: each is made once.
	document, page := sync.OnceValues(s.document), sync.OnceValues(s.docsPage)
	s.engine.GET(prefix+"/openapi.json", func(g *gin.Context) {
		b, err := document()
		if err != nil {
			s.abort(g, asFailure(err, requestID(g.Request.Context())))
			return
		}
		g.Data(http.StatusOK, "application/json", b)
	})
	s.engine.GET("/api/docs", func(g *gin.Context) {
		b, err := page()
		if err != nil {
			s.abort(g, asFailure(err, requestID(g.Request.Context())))
			return
		}
		g.Data(http.StatusOK, "text/html; charset=utf-8", b)
	})
	// healthz: the process serves. readyz: it can do its work.
	s.engine.GET("/healthz", func(g *gin.Context) { g.String(http.StatusOK, "ok\n") })
	s.engine.GET("/readyz", func(g *gin.Context) {
		ctx, cancel := context.WithTimeout(g.Request.Context(), 2*time.Second)
		defer cancel()
		if err := s.deps.Database.Ping(ctx); err != nil {
			g.String(http.StatusServiceUnavailable, "the database does not answer\n")
			return
		}
		g.String(http.StatusOK, "ready\n")
	})
}
