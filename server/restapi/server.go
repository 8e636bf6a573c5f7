package restapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/control"
)

func init() {
	// huma takes these from package variables: one HTTP edge a process is enough.
	huma.NewErrorWithContext = humaError
	huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
		return humaError(nil, status, message, errs...)
	}
	huma.DefaultArrayNullable = false
	gin.SetMode(gin.ReleaseMode)
}

// Server is the HTTP edge.
type Server struct {
	deps   Deps
	engine *gin.Engine
	api    huma.API
	hub    *hub
	files  *console
	cross  *http.CrossOriginProtection

	shiftsMemo memo[[]*control.Shift]
	claimsMemo memo[[]*control.Claim]

	started time.Time
	stop    context.CancelFunc
	loops   sync.WaitGroup
}

// New wires the routes. Start begins to feed the event stream.
func New(deps Deps) *Server {
	if deps.Log == nil {
		deps.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{deps: deps, engine: gin.New(), hub: newHub(), started: time.Now(), cross: http.NewCrossOriginProtection()}
	if deps.Console != nil {
		s.files = newConsole(deps.Console)
	}
	s.shiftsMemo.life, s.claimsMemo.life = latestFor, latestFor
	s.engine.HandleMethodNotAllowed = true
	s.engine.RedirectTrailingSlash = false
	s.engine.RedirectFixedPath = false
	// nil trusts nobody: X-Forwarded-For of a stranger is not an address.
	if err := s.engine.SetTrustedProxies(deps.TrustedProxies); err != nil {
		deps.Log.Error("restapi: trusted proxies are not valid, none is trusted", "err", err)
		_ = s.engine.SetTrustedProxies(nil) // cannot fail for nil
	}
	s.engine.Use(s.envelope, s.guard)
	s.api = humagin.New(s.engine, apiConfig())
	s.api.UseMiddleware(s.authenticate)
	s.routes()
	s.finishDocument()
	s.engine.NoRoute(s.noRoute)
	s.engine.NoMethod(func(g *gin.Context) {
		s.abort(g, newFailure(http.StatusMethodNotAllowed, "", "this path does not take "+g.Request.Method, requestID(g.Request.Context())))
	})
	return s
}

// ServeHTTP serves one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.engine.ServeHTTP(w, r) }

// HTTPServer wraps s with timeouts. There is no write timeout: event streams are
// long; every other handler is bounded by its own work.
func (s *Server) HTTPServer(addr string) *http.Server {
	return &http.Server{
		Addr: addr, Handler: s,
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 32 << 10, ErrorLog: slog.NewLogLogger(s.deps.Log.Handler(), slog.LevelDebug),
	}
}

// Start feeds the event stream until Stop.
func (s *Server) Start(ctx context.Context) {
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	s.loops.Go(func() { s.pump(run) })
}

// Stop ends the pump and every open event stream. It may be called twice.
func (s *Server) Stop() {
	if s.stop != nil {
		s.stop()
	}
	s.hub.close()
	s.loops.Wait()
}

// routes registers every operation.
func (s *Server) routes() {
	s.sessionRoutes()
	s.templateRoutes()
	s.bindingRoutes()
	s.claimRoutes()
	s.planRoutes()
	s.quotaRoutes()
	s.alertRoutes()
	s.experimentRoutes()
	s.alertSettingRoutes()
	s.pointRoutes()
	s.crowdRoutes()
	s.leaderboardRoutes()
	s.sceneRoutes()
	s.allocationRoutes()
	s.profileRoutes()
	s.agentRoutes()
	s.changeRoutes()
	s.eventRoutes()
	s.auditRoutes()
	s.userRoutes()
	s.tokenRoutes()
	s.statusRoutes()
	s.wallRoutes()
	s.rootRoutes()
}

// jsonFormat bounds nesting before anything is allocated for it.
var jsonFormat = huma.Format{
	Marshal: func(w io.Writer, v any) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(true) // names stay inert even where JSON is put into a page
		return enc.Encode(v)
	},
	Unmarshal: func(data []byte, v any) error {
		if err := checkDepth(data); err != nil {
			return err
		}
		return json.Unmarshal(data, v)
	},
}

// maxDepth is deeper than any document of ours.
const maxDepth = 32

func checkDepth(data []byte) error {
	depth, inString := 0, false
	for i := 0; i < len(data); i++ {
		switch b := data[i]; {
		case inString && b == '\\':
			i++
		case b == '"':
			inString = !inString
		case inString:
		case b == '{' || b == '[':
			if depth++; depth > maxDepth {
				return fmt.Errorf("nested deeper than %d levels at byte %d", maxDepth, i)
			}
		case b == '}' || b == ']':
			depth--
		}
	}
	return nil
}

func problem(path, code, format string, args ...any) gear.Problems {
	return gear.Problems{{Path: path, Code: code, Message: fmt.Sprintf(format, args...)}}
}

// OpenAPI gives the OpenAPI 3.1 document without a running server.
func OpenAPI() ([]byte, error) {
	s := New(Deps{Version: "1"})
	return s.document()
}

func (s *Server) document() ([]byte, error) {
	b, err := json.Marshal(s.api.OpenAPI())
	if err != nil {
		return nil, fmt.Errorf("write OpenAPI document: %w", err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, b, "", "  "); err != nil {
		return nil, fmt.Errorf("indent OpenAPI document: %w", err)
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}
