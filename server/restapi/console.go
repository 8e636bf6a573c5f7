package restapi

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"
)

// console serves the built console from memory. Files are found by exact name in
// a map, so no path, however encoded, can leave it.
type console struct {
	files fs.FS
	once  sync.Once
	byURL map[string]*asset
}

type asset struct {
	kind, etag string
	raw, gz    []byte // gz is nil where packing does not pay
}

func newConsole(files fs.FS) *console { return &console{files: files} }

// load reads and packs every file at the first request: about 3 MB.
func (c *console) load() map[string]*asset {
	c.once.Do(func() {
		c.byURL = map[string]*asset{}
		_ = fs.WalkDir(c.files, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasPrefix(path.Base(name), ".") || strings.HasSuffix(name, ".gz") || strings.HasSuffix(name, ".br") {
				return nil
			}
			raw, err := fs.ReadFile(c.files, name)
			if err != nil {
				return nil // then it is a 404, as if it had not been built
			}
			sum := sha256.Sum256(raw)
			a := &asset{kind: kindOf(name), etag: `"` + hex.EncodeToString(sum[:8]) + `"`, raw: raw}
			if packed, err := fs.ReadFile(c.files, name+".gz"); err == nil {
				a.gz = packed
			} else if compressible(a.kind) {
				a.gz = pack(raw)
			}
			c.byURL["/"+name] = a
			return nil
		})
	})
	return c.byURL
}

func pack(raw []byte) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is valid
	_, _ = w.Write(raw)                                   // a buffer takes everything
	_ = w.Close()
	if b.Len() >= len(raw) {
		return nil
	}
	return b.Bytes()
}

func kindOf(name string) string {
	switch path.Ext(name) { // the machine's mime table may know none of these
	case ".js", ".mjs":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".html":
		return "text/html; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".json", ".map":
		return "application/json"
	case ".woff2":
		return "font/woff2"
	case ".webmanifest":
		return "application/manifest+json"
	}
	if k := mime.TypeByExtension(path.Ext(name)); k != "" {
		return k
	}
	return "application/octet-stream"
}

func compressible(kind string) bool {
	return strings.HasPrefix(kind, "text/") || strings.HasPrefix(kind, "application/json") || strings.HasPrefix(kind, "image/svg") || strings.HasSuffix(kind, "+json")
}

// noRoute serves the console's files, its page for navigation, and problems for
// everything else.
func (s *Server) noRoute(g *gin.Context) {
	r := g.Request
	p := r.URL.Path
	missing := func() {
		s.abort(g, newFailure(http.StatusNotFound, "", "there is nothing at this path", requestID(r.Context())))
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead || strings.HasPrefix(p, "/api/") || p == "/api" || strings.Contains(p, "..") || strings.Contains(p, "\\") {
		missing()
		return
	}
	if s.files != nil {
		if a := s.files.load()[p]; a != nil {
			a.serve(g, strings.HasPrefix(p, "/assets/"))
			return
		}
	}
	// Only a navigation gets the page: a script or picture that is gone must fail.
	navigation := strings.Contains(r.Header.Get("Accept"), "text/html") && !strings.HasPrefix(p, "/assets/") && path.Ext(p) == "" || p == "/"
	if !navigation {
		missing()
		return
	}
	if s.files != nil {
		if a := s.files.load()["/index.html"]; a != nil {
			a.serve(g, false)
			return
		}
	}
	s.abort(g, newFailure(http.StatusServiceUnavailable, "", `the console was not built into this binary: run "make web"`, requestID(r.Context())))
}

// serve writes an asset; those under /assets/ carry their hash in the name.
func (a *asset) serve(g *gin.Context, immutable bool) {
	h := g.Writer.Header()
	h.Set("Content-Type", a.kind)
	h.Set("ETag", a.etag)
	h.Set("Vary", "Accept-Encoding")
	h.Set("Cache-Control", "no-cache")
	if immutable {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if g.GetHeader("If-None-Match") == a.etag {
		g.Status(http.StatusNotModified)
		g.Writer.WriteHeaderNow()
		return
	}
	body := a.raw
	if a.gz != nil && strings.Contains(g.GetHeader("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		body = a.gz
	}
	g.Status(http.StatusOK)
	if g.Request.Method == http.MethodHead {
		g.Writer.WriteHeaderNow()
		return
	}
	_, _ = g.Writer.Write(body) // a client that left is no error of ours
}
