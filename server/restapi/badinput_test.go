package restapi

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/auth"
)

type badInput struct {
	try    func(d *desk) *httptest.ResponseRecorder
	status int
	code   string // of the first error listed, "" for any
}

type (
	poster func(path, body string, headers ...string) func(d *desk) *httptest.ResponseRecorder
	getter func(path string) func(d *desk) *httptest.ResponseRecorder
)

func badInputs(post poster, get getter, field func(doc, field string) string, big, deep, bomb string) map[string]badInput {
	return map[string]badInput{
		"10 MB body":                {post("/claims", big), 413, ""},
		"10 MB document":            {post("/templates", big), 413, ""},
		"gzip bomb":                 {post("/templates", bomb, "Content-Encoding", "gzip"), 415, ""},
		"deep JSON":                 {post("/claims", deep), 400, "syntax"},
		"deep document":             {post("/templates", deep), 422, "syntax"},
		"not JSON":                  {post("/claims", "{"), 400, "syntax"},
		"form instead of JSON":      {post("/claims", "a=b", "Content-Type", "application/x-www-form-urlencoded"), 415, ""},
		"text instead of document":  {post("/templates", named("x"), "Content-Type", "text/plain"), 415, ""},
		"no body":                   {post("/claims", ""), 400, ""},
		"mass-assigned id":          {post("/templates", field(named("x"), `"id":"1"`)), 422, "unknown"},
		"mass-assigned version":     {post("/templates", field(named("x"), `"version":9`)), 422, "unknown"},
		"mass-assigned created_by":  {post("/claims", field(claimOf("sn", 2), `"created_by":"root"`)), 422, "unknown"},
		"mass-assigned author":      {post("/claims", field(claimOf("sn", 2), `"author":"root"`)), 422, "unknown"},
		"mass-assigned source":      {post("/claims", field(claimOf("sn", 2), `"source":"emergency"`)), 422, "unknown"},
		"mass-assigned role":        {post("/users", `{"name":"bob","grants":[],"role":"admin"}`), 422, "unknown"},
		"mass-assigned hash":        {post("/users", `{"name":"bob","grants":[],"password_hash":"x"}`), 422, "unknown"},
		"unknown role":              {post("/users", `{"name":"bob","grants":[{"role":"root","app":"*","idc":"*"}]}`), 422, "enum"},
		"wrong type":                {post("/claims", strings.Replace(claimOf("sn", 2), `"level":2`, `"level":"two"`, 1)), 422, "type"},
		"level out of range":        {post("/claims", claimOf("sn", 1000)), 422, "range"},
		"limit=1e9 as a float":      {get("/templates?limit=1e9"), 400, "type"},
		"limit=1000000000":          {get("/templates?limit=1000000000"), 400, "range"},
		"limit=0":                   {get("/agents?limit=0"), 400, "range"},
		"limit=-1":                  {get("/audit?limit=-1"), 400, "range"},
		"unknown sort":              {get("/templates?sort=password_hash"), 400, "enum"},
		"unknown sort of points":    {get("/points?sort=1;drop"), 400, ""},
		"unknown filter":            {get("/templates?where=1"), 400, "unknown"},
		"foreign cursor":            {get("/templates?cursor=!!!"), 422, ""},
		"foreign cursor of agents":  {get("/agents?cursor=!!!"), 400, ""},
		"guessed id":                {get("/templates/0192e4a0-0000-7000-8000-000000000000"), 404, ""},
		"guessed claim":             {get("/claims/0192e4a0-0000-7000-8000-000000000000"), 404, ""},
		"guessed binding":           {get("/bindings/1"), 404, ""},
		"guessed agent":             {get("/agents/nobody"), 404, ""},
		"guessed revision":          {get("/changes/999999"), 404, ""},
		"revision that is none":     {get("/changes/x"), 400, "type"},
		"route pattern as a name":   {get("/templates/:id"), 404, ""},
		"route pattern in braces":   {get("/templates/{template}"), 404, ""},
		"route pattern as a claim":  {get("/claims/:claim"), 404, ""},
		"encoded slash":             {get("/templates/..%2f..%2fetc%2fpasswd"), 404, ""},
		"unknown path":              {get("/nothing"), 404, ""},
		"wrong method":              {func(d *desk) *httptest.ResponseRecorder { return d.do("admin", "PATCH", "/templates", "{}") }, 405, ""},
		"markup as a template":      {post("/templates", named(`<img src=x onerror=alert(1)>`)), 422, "name"},
		"markup as a user":          {post("/users", `{"name":"<img onerror=alert(1)>","grants":[]}`), 422, "pattern"},
		"markup as a scope":         {post("/claims", strings.Replace(claimOf("sn", 2), `"app":"sn"`, `"app":"<img>"`, 1)), 422, "name"},
		"line break as a reason":    {post("/claims", strings.Replace(claimOf("sn", 2), `"test"`, `"a\nlevel=error"`, 1)), 422, "text"},
		"no If-Match":               {post("/templates/sn-recall/copy-gear", `{"from":1,"to":[2]}`), 428, ""},
		"If-Match of everything":    {post("/templates/sn-recall/copy-gear", `{"from":1,"to":[2]}`, "If-Match", "*"), 400, ""},
		"weak If-Match":             {post("/templates/sn-recall/copy-gear", `{"from":1,"to":[2]}`, "If-Match", `W/"1"`), 400, ""},
		"stale If-Match":            {post("/templates/sn-recall/copy-gear", `{"from":1,"to":[2]}`, "If-Match", `"1"`), 409, ""},
		"claim without an end":      {post("/claims", field(claimOf("sn", 2), `"for":"-1s"`)), 422, "type"},
		"claim for a year":          {post("/claims", field(claimOf("sn", 2), `"for":"9000h"`)), 422, "range"},
		"tie of bindings":           {post("/bindings", `{"selector":{"scene":"k2","idc":"*","app":"*","point":"recall"},"template":"sn-recall"}`), 409, ""},
		"cross-origin post":         {post("/claims", claimOf("sn", 2), "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"), 403, ""},
		"cross-origin, old browser": {post("/claims", claimOf("sn", 2), "Origin", "https://evil.example"), 403, ""},
		"NaN":                       {post("/templates", strings.Replace(named("x"), "20}", "NaN}", 1)), 422, "syntax"},
	}
}

func heapNow() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Every bad input is a problem with 4xx, changes nothing and costs no memory.
func TestBadInputChangesNothing(t *testing.T) {
	var bomb bytes.Buffer
	w := gzip.NewWriter(&bomb)
	_, _ = w.Write(make([]byte, 100<<20))
	require.NoError(t, w.Close())
	big := strings.Repeat("x", 10<<20)
	deep := strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000)
	post := func(path, body string, headers ...string) func(d *desk) *httptest.ResponseRecorder {
		return func(d *desk) *httptest.ResponseRecorder { return d.do("admin", "POST", path, body, headers...) }
	}
	get := func(path string) func(d *desk) *httptest.ResponseRecorder {
		return func(d *desk) *httptest.ResponseRecorder { return d.do("admin", "GET", path, "") }
	}
	field := func(doc, field string) string { return strings.Replace(doc, "{", "{"+field+",", 1) }
	withDesk(t, func(d *desk) {
		before, heap := d.entries(), heapNow()
		for name, x := range badInputs(post, get, field, big, deep, bomb.String()) {
			w := x.try(d)
			if w.Code != x.status {
				d.t.Errorf("%s: want %d, got %d %s", name, x.status, w.Code, w.Body.String())
				continue
			}
			p := d.refused(w, x.status)
			if x.code != "" {
				require.NotEmpty(d.t, p.Errors, name)
				if p.Errors[0].Code != x.code {
					d.t.Errorf("%s: want %s, got %+v", name, x.code, p.Errors)
				}
			}
		}
		require.Equal(d.t, before, d.entries(), "a bad input was recorded as a change")
		require.Less(d.t, heapNow(), heap+16<<20, "bad input left memory behind")
	})
}

// key is one of the signing keys in force.
func (d *desk) key() auth.Key {
	snap, err := d.db.AuthSnapshot(d.t.Context(), time.Now())
	require.NoError(d.t, err)
	return snap.Keys[len(snap.Keys)-1]
}

func TestForgedCredentialsAreRefused(t *testing.T) {
	withDesk(t, func(d *desk) {
		password := d.user("ann", auth.Grant{Role: auth.Admin, App: "*", IDC: "*"})
		var session api.Session
		d.ok(d.do("", "POST", "/sessions", `{"name":"ann","password":"`+password+`","bearer":true}`), 201, &session)
		good := session.Token
		bearer := func(token string) *httptest.ResponseRecorder {
			return d.do("", "GET", "/me", "", "Authorization", "Bearer "+token)
		}
		d.ok(bearer(good), 200, nil)
		var claims jwt.MapClaims
		_, _, err := jwt.NewParser().ParseUnverified(good, &claims)
		require.NoError(t, err)
		key := d.key()
		forge := func(method jwt.SigningMethod, kid string, secret any, change func(jwt.MapClaims)) string {
			c := jwt.MapClaims{}
			for k, v := range claims {
				c[k] = v
			}
			if change != nil {
				change(c)
			}
			token := jwt.NewWithClaims(method, c)
			token.Header["kid"] = kid
			s, err := token.SignedString(secret)
			require.NoError(d.t, err)
			return s
		}
		d.ok(bearer(forge(jwt.SigningMethodHS256, key.ID, key.Secret, nil)), 200, nil) // the forge itself works
		set := func(name string, v any) func(jwt.MapClaims) { return func(c jwt.MapClaims) { c[name] = v } }
		drop := func(name string) func(jwt.MapClaims) { return func(c jwt.MapClaims) { delete(c, name) } }
		parts := strings.Split(good, ".")
		for name, token := range map[string]string{
			"alg none":         forge(jwt.SigningMethodNone, key.ID, jwt.UnsafeAllowNoneSignatureType, nil),
			"alg none by hand": base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + parts[1] + ".",
			"another hash":     forge(jwt.SigningMethodHS512, key.ID, key.Secret, nil),
			"foreign kid":      forge(jwt.SigningMethodHS256, "other", key.Secret, nil),
			"foreign key":      forge(jwt.SigningMethodHS256, key.ID, []byte("guess"), nil),
			"kid as a path":    forge(jwt.SigningMethodHS256, "../../dev/null", []byte(""), nil),
			"wrong audience":   forge(jwt.SigningMethodHS256, key.ID, key.Secret, set("aud", "agent")),
			"console audience": forge(jwt.SigningMethodHS256, key.ID, key.Secret, set("aud", "console")),
			"no audience":      forge(jwt.SigningMethodHS256, key.ID, key.Secret, drop("aud")),
			"wrong issuer":     forge(jwt.SigningMethodHS256, key.ID, key.Secret, set("iss", "evil")),
			"expired":          forge(jwt.SigningMethodHS256, key.ID, key.Secret, set("exp", time.Now().Add(-time.Hour).Unix())),
			"no expiry":        forge(jwt.SigningMethodHS256, key.ID, key.Secret, drop("exp")),
			"from the future":  forge(jwt.SigningMethodHS256, key.ID, key.Secret, set("iat", time.Now().Add(time.Hour).Unix())),
			"no jti":           forge(jwt.SigningMethodHS256, key.ID, key.Secret, drop("jti")),
			"another user":     forge(jwt.SigningMethodHS256, key.ID, key.Secret, set("sub", "0192e4a0-0000-7000-8000-000000000000")),
			"older epoch":      forge(jwt.SigningMethodHS256, key.ID, key.Secret, set("epo", 0)),
			"cut in half":      good[:len(good)/2],
			"huge":             good + strings.Repeat("A", 1<<20),
			"API token guess":  "ask_" + strings.Repeat("A", 43),
			"enrolment token":  "ase_" + strings.Repeat("A", 43),
			"nothing":          "",
		} {
			w := bearer(token)
			require.Equal(d.t, 401, w.Code, name)
			require.Equal(d.t, `Bearer realm="allspark"`, w.Header().Get("WWW-Authenticate"), name)
			d.refused(w, 401)
		}
		// A bearer session is no cookie, and a cookie no bearer.
		d.refused(d.do("", "GET", "/me", "", "Cookie", cookieName+"="+good), 401)
		d.refused(d.do("", "GET", "/me", "", "Authorization", "Basic YTpi"), 401)
	})
}

func TestLoginIsLimitedByAccountAndAddress(t *testing.T) {
	withDesk(t, func(d *desk) {
		try := func(name, password string) *httptest.ResponseRecorder {
			return d.do("", "POST", "/sessions", `{"name":"`+name+`","password":"`+password+`"}`)
		}
		limited := 0
		for range 15 {
			if w := try("admin", "wrong"); w.Code == 429 {
				limited++
				require.NotEmpty(d.t, w.Header().Get("Retry-After"))
			} else {
				d.refused(w, 401)
			}
		}
		require.Equal(d.t, 5, limited, "ten tries are an account's burst")
		d.refused(try("admin", d.admin), 429) // the right password does not help meanwhile
		time.Sleep(10 * time.Second)
		d.ok(try("admin", d.admin), 201, nil)
		limited = 0
		for i := range 60 {
			if try("nobody-"+string(rune('a'+i%26))+string(rune('a'+i/26)), "wrong").Code == 429 {
				limited++
			}
		}
		require.Greater(d.t, limited, 20, "an address can spray names")
		// X-Forwarded-For of a stranger gives no fresh budget.
		w := d.do("", "POST", "/sessions", `{"name":"zz","password":"x"}`, "X-Forwarded-For", "9.9.9.9", "X-Real-Ip", "9.9.9.9")
		d.refused(w, 429)
	})
}

func TestTheConsoleIsServedAndNothingElse(t *testing.T) {
	withDesk(t, func(d *desk) {
		page := []string{"Accept", "text/html"}
		for _, path := range []string{"/", "/templates/sn-recall", "/points"} {
			w := d.root("GET", path, page...)
			require.Equal(d.t, 200, w.Code, path)
			require.Contains(d.t, w.Body.String(), "<title>AllSpark</title>")
			require.Contains(d.t, w.Header().Get("Content-Security-Policy"), "script-src 'self'")
			require.Equal(d.t, "nosniff", w.Header().Get("X-Content-Type-Options"))
		}
		w := d.root("GET", "/assets/app-1.js", "Accept-Encoding", "gzip")
		require.Equal(d.t, "gzip", w.Header().Get("Content-Encoding"))
		require.Contains(d.t, w.Header().Get("Cache-Control"), "immutable")
		require.Equal(d.t, 304, d.root("GET", "/assets/app-1.js", "If-None-Match", w.Header().Get("ETag")).Code)
		for _, path := range []string{
			"/assets/gone.js", "/assets/", "/assets/.hidden", "/assets/..%2f..%2fgo.mod", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd",
			"/assets/%2e%2e%2findex.html", "/assets/..%5cindex.html", "/logo.png", "/api/nothing", "/api",
		} {
			d.refused(d.root("GET", path, page...), 404)
		}
		d.refused(d.root("POST", "/templates/x", page...), 404)
		require.Equal(d.t, 200, d.root("GET", "/healthz").Code)
		require.Equal(d.t, 200, d.root("GET", "/readyz").Code)
		docs := d.root("GET", "/api/docs")
		require.Equal(d.t, 200, docs.Code)
		require.NotContains(d.t, docs.Body.String(), "https://", "the page must load nothing from elsewhere")
		require.Contains(d.t, docs.Body.String(), "publish-template")
		bare := New(Deps{})
		rec := httptest.NewRecorder()
		bare.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/", nil))
		require.Equal(d.t, 503, rec.Code)
		require.Contains(d.t, rec.Body.String(), "make web")
	})
}

func TestStaleWriteShowsAllThreeSides(t *testing.T) {
	withDesk(t, func(d *desk) {
		tag := etag(d.template.Version)
		doc := func(n string) string { return strings.Replace(named("sn-recall"), "20}", n+"}", 1) }
		d.ok(d.do("operator", "PUT", "/templates/sn-recall/draft", doc("30"), "If-Match", tag), 200, nil)
		p := d.refused(d.do("admin", "PUT", "/templates/sn-recall/draft", doc("40"), "If-Match", tag), 409)
		require.Equal(d.t, "stale", p.Code)
		first := func(raw json.RawMessage) string {
			var x api.TemplateDocument
			require.NoError(d.t, json.Unmarshal(raw, &x), string(raw))
			return string(x.Gears[0].Set["tag_count"])
		}
		require.Equal(d.t, []string{"20", "40", "30"}, []string{first(p.Conflict.Base), first(p.Conflict.Mine), first(p.Conflict.Theirs)})
		d.ok(d.do("admin", "PUT", "/templates/sn-recall/draft", doc("40"), "If-Match", p.Conflict.ETag), 200, nil)
	})
}

func TestARetryIsDoneOnce(t *testing.T) {
	withDesk(t, func(d *desk) {
		key := []string{"Idempotency-Key", "k-1"}
		var one, two api.Claim
		d.ok(d.do("operator", "POST", "/claims", claimOf("sn", 2), key...), 201, &one)
		before := d.entries()
		d.ok(d.do("operator", "POST", "/claims", claimOf("sn", 2), key...), 201, &two)
		require.Equal(d.t, one.ID, two.ID)
		require.Equal(d.t, before, d.entries())
		d.refused(d.do("operator", "POST", "/templates", named("x"), key...), 422)
		var other api.Claim
		d.ok(d.do("admin", "POST", "/claims", claimOf("sn", 2), key...), 201, &other)
		require.NotEqual(d.t, one.ID, other.ID, "a key is the caller's own")
	})
}

func TestSecretsAreNeverReturned(t *testing.T) {
	withDesk(t, func(d *desk) {
		var made api.TokenSecret
		d.ok(d.do("admin", "POST", "/tokens", `{"name":"ci","grants":[{"role":"viewer","app":"sn","idc":"*"}]}`), 201, &made)
		d.user("ann", auth.Grant{Role: auth.Viewer, App: "*", IDC: "*"})
		for _, path := range []string{"/tokens", "/users", "/users/ann", "/audit", "/audit/export", "/enrolment-tokens"} {
			body := d.do("admin", "GET", path, "").Body.String()
			require.NotContains(d.t, body, made.Secret, path)
			require.NotContains(d.t, body, "argon2", path)
			require.NotContains(d.t, body, `"hash_`, path)
		}
	})
}
