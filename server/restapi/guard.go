package restapi

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
)

// csp lets the console's own files run and nothing else. Styles may be inline
// because the component library writes them at run time.
const csp = "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; " +
	"connect-src 'self'; worker-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// envelope gives the request an id, the answer its headers, and panics an end.
func (s *Server) envelope(g *gin.Context) {
	id := g.GetHeader("X-Request-Id")
	if !validRequestID(id) {
		id = uuid.Must(uuid.NewV7()).String()
	}
	ctx := context.WithValue(g.Request.Context(), keyRequestID, id)
	ctx = context.WithValue(ctx, keyAddress, g.ClientIP())
	g.Request = g.Request.WithContext(ctx)
	h := g.Writer.Header()
	h.Set("X-Request-Id", id)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Content-Security-Policy", csp)
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()")
	if g.Request.TLS != nil {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
	if strings.HasPrefix(g.Request.URL.Path, "/api/") {
		h.Set("Cache-Control", "no-store")
	}
	start := time.Now()
	defer func() {
		p := recover()
		defer s.observe(g, start)
		if p == nil {
			s.deps.Log.DebugContext(ctx, "http", "method", g.Request.Method, "path", g.Request.URL.Path, "status", g.Writer.Status(), "ms", time.Since(start).Milliseconds(), "request_id", id)
			return
		}
		if p == http.ErrAbortHandler {
			panic(p)
		}
		s.deps.Log.ErrorContext(ctx, "restapi: panic", "panic", p, "request_id", id, "stack", string(debug.Stack()))
		if !g.Writer.Written() {
			s.abort(g, newFailure(http.StatusInternalServerError, "", "something went wrong on the server", id))
		}
	}()
	g.Next()
}

func (s *Server) observe(g *gin.Context, start time.Time) {
	if s.deps.Observe == nil {
		return
	}
	took := time.Since(start)
	if g.Writer.Header().Get("Content-Type") == "text/event-stream" {
		took = 0
	}
	s.deps.Observe(g.Request.Method, g.FullPath(), g.Writer.Status(), took)
}

// validRequestID accepts what cannot forge a log line.
func validRequestID(s string) bool {
	if len(s) < 8 || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// guard refuses what no route needs: other sites' writes and packed bodies.
func (s *Server) guard(g *gin.Context) {
	id := requestID(g.Request.Context())
	// Sec-Fetch-Site, else Origin against Host, on unsafe methods; programs send neither.
	if err := s.cross.Check(g.Request); err != nil {
		s.abort(g, newFailure(http.StatusForbidden, "", "writes from another origin are refused", id))
		return
	}
	// What cannot be read is not left out silently: a filter that is lost shows too much.
	if _, err := url.ParseQuery(g.Request.URL.RawQuery); err != nil {
		s.abort(g, newFailure(http.StatusBadRequest, "", "the query cannot be read: "+err.Error(), id))
		return
	}
	// A packed body could unpack to anything; nothing we take is large.
	if e := g.GetHeader("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		s.abort(g, newFailure(http.StatusUnsupportedMediaType, "", "send the body without Content-Encoding", id))
		return
	}
	if g.Request.ContentLength > maxBody {
		s.abort(g, newFailure(http.StatusRequestEntityTooLarge, "", "the body is larger than 1 MiB", id))
		return
	}
	g.Request.Body = http.MaxBytesReader(g.Writer, g.Request.Body, maxBody+1)
	g.Next()
}

func (s *Server) abort(g *gin.Context, f *failure) {
	for k, v := range f.GetHeaders() {
		g.Header(k, v[0])
	}
	g.Header("Content-Type", problemType)
	g.Abort()
	g.Status(f.Status)
	if err := json.NewEncoder(g.Writer).Encode(f.Problem); err != nil {
		s.deps.Log.Debug("restapi: client left", "err", err)
	}
}
