package archtest

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// A Sentence is what a program says to people: a format, whose verbs are the
// holes. Every way of making it counts: fmt.Sprintf, + and a plain text.
type Sentence struct {
	Form string
	At   string // file:line
}

// silent are the rooms and files whose words reach no page of the console: what
// runs before there is one, what talks to a terminal, and tests' own parts.
var silent = []string{
	"server/lab", "server/demo", "server/servertest", "server/storetest", "server/cli", "server/cmd",
	"server/config", "server/agentapi", "server/opsapi", "server/notify", "agent/agenttest", "scripts",
	"agent/config.go", "agent/point.go", "server/auth/agent.go",
	"server/store/open.go", "server/store/migrate.go", "server/store/leases.go",
}

// reasoning are the files whose every sentence is the reason of a decision.
var reasoning = []string{"server/feedback/rule", "server/alert/rule", "server/allocation/rule_rebuild", "server/plan/readiness", "agent/loop/rule"}

// speakers take a sentence among their arguments: the first that has words.
var speakers = []string{
	"fault.New", "fault.Wrap", "fault.WithProblems", "taken", // errors
	"Add", "add", "Bad", "bad", "problem", "syntaxAt", "wants", // problems of a document
	"line",       // readiness of a plan
	"newFailure", // errors of the HTTP edge
}

// spokenFields hold a sentence wherever they are set.
var spokenFields = []string{"Message", "Reason", "Detail", "Trouble", "Left", "Limited"}

// spokenTypes hold one by its position.
var spokenTypes = []string{"Missing", "Left"}

// sayers return a sentence.
var sayers = []string{"Message", "Stale"}

// spoken finds the sentences of a file. Constants are those of its file.
func spoken(set *token.FileSet, p string, f *ast.File) (out []Sentence) {
	if WithinAny(p, silent) {
		return nil
	}
	consts := constsOf(f)
	say := func(e ast.Expr, format bool) bool {
		form := formOf(e, consts, format)
		if !words(form) {
			return false
		}
		at := set.Position(e.Pos())
		out = append(out, Sentence{form, at.Filename + ":" + strconv.Itoa(at.Line)})
		return true
	}
	all := slices.ContainsFunc(reasoning, func(r string) bool { return strings.HasPrefix(p, r) })
	ast.Inspect(f, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.CallExpr:
			if all && strings.HasPrefix(calleeOf(x.Fun), "errors.") {
				return false
			}
			name := calleeOf(x.Fun)
			if !slices.Contains(speakers, name) && !slices.Contains(speakers, name[strings.LastIndex(name, ".")+1:]) {
				break
			}
			for _, a := range x.Args {
				if say(a, !strings.HasSuffix(name, "Add")) {
					break
				}
			}
			return !all // its literals are said already
		case *ast.FuncDecl:
			if x.Body == nil || !slices.Contains(sayers, x.Name.Name) {
				break
			}
			ast.Inspect(x.Body, func(n ast.Node) bool {
				if r, ok := n.(*ast.ReturnStmt); ok {
					for _, e := range r.Results {
						say(e, false)
					}
				}
				return true
			})
		case *ast.CompositeLit:
			if id, ok := x.Type.(*ast.Ident); ok && slices.Contains(spokenTypes, id.Name) {
				for _, e := range x.Elts {
					say(e, false)
				}
			}
		case *ast.KeyValueExpr:
			if k, ok := x.Key.(*ast.Ident); ok && slices.Contains(spokenFields, k.Name) && !all {
				say(x.Value, false)
			}
		case *ast.AssignStmt:
			for i, l := range x.Lhs {
				s, ok := l.(*ast.SelectorExpr)
				if ok && slices.Contains(spokenFields, s.Sel.Name) && len(x.Lhs) == len(x.Rhs) && !all {
					say(x.Rhs[i], false)
				}
			}
		}
		if e, ok := n.(ast.Expr); ok && all {
			return !say(e, false)
		}
		return true
	})
	return out
}

// constsOf lists the texts that a file has given names.
func constsOf(f *ast.File) map[string]string {
	out := map[string]string{}
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			for i, name := range v.Names {
				if i < len(v.Values) {
					if form := formOf(v.Values[i], nil, false); words(form) {
						out[name.Name] = form
					}
				}
			}
		}
	}
	return out
}

// words says that a form is a sentence and no name, path or bare hole.
func words(form string) bool {
	text := verb.ReplaceAllString(percent.ReplaceAllString(form, ""), "")
	return strings.Contains(strings.TrimSpace(form), " ") && strings.ContainsFunc(text, func(r rune) bool { return r >= 'a' && r <= 'z' })
}

// formOf derives the format of an expression: what is no text is a hole. format
// says that a literal is a format itself.
func formOf(e ast.Expr, consts map[string]string, format bool) string {
	switch x := e.(type) {
	case *ast.ParenExpr:
		return formOf(x.X, consts, format)
	case *ast.BasicLit:
		if s, err := strconv.Unquote(x.Value); x.Kind == token.STRING && err == nil {
			if !format {
				s = strings.ReplaceAll(s, "%", "%%")
			}
			return s
		}
	case *ast.Ident:
		if s, ok := consts[x.Name]; ok {
			return s
		}
	case *ast.BinaryExpr:
		if x.Op == token.ADD {
			return formOf(x.X, consts, format) + formOf(x.Y, consts, format)
		}
	case *ast.CallExpr:
		switch calleeOf(x.Fun) {
		case "fmt.Sprintf":
			return formOf(x.Args[0], consts, true)
		case "quoted", "strconv.Quote":
			return "%q"
		case "strconv.Itoa":
			return "%d"
		}
	}
	return "%s"
}

func calleeOf(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return calleeOf(x.X) + "." + x.Sel.Name
	}
	return ""
}
