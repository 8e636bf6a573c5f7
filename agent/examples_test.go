package agent_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every exported symbol of the SDK has an example that compiles and runs.
func TestEveryExportedSymbolHasAnExample(t *testing.T) {
	fset := token.NewFileSet()
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	var files []*ast.File
	var examples strings.Builder
	for _, name := range names {
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		require.NoError(t, err)
		if !strings.HasSuffix(name, "_test.go") {
			files = append(files, f)
		} else if strings.HasPrefix(name, "example") {
			p, err := os.ReadFile(name)
			require.NoError(t, err)
			examples.Write(p)
		}
	}
	p, err := doc.NewFromFiles(fset, files, "github.com/allspark/allspark/agent")
	require.NoError(t, err)
	text := examples.String()
	var missing []string
	function := func(name string) {
		if !strings.Contains(text, "func Example"+name+"()") {
			missing = append(missing, name)
		}
	}
	mention := func(values []*doc.Value) {
		for _, v := range values {
			for _, name := range v.Names {
				if ast.IsExported(name) && !regexp.MustCompile(`agent\.`+name+`\b`).MatchString(text) {
					missing = append(missing, name)
				}
			}
		}
	}
	mention(p.Consts)
	mention(p.Vars)
	for _, f := range p.Funcs {
		function(f.Name)
	}
	for _, typ := range p.Types {
		function(typ.Name)
		mention(typ.Consts)
		for _, f := range typ.Funcs {
			function(f.Name)
		}
		for _, m := range typ.Methods {
			function(typ.Name + "_" + m.Name)
		}
	}
	require.Empty(t, missing)
}
