package archtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Module is the import path of the tree's root.
const Module = "github.com/allspark/allspark"

// A File is one source file, by its path from the root.
type File struct {
	Path      string
	Lines     int
	Generated bool

	// Go files only.
	Test    bool
	Imports []string
	Clock   []string // positions that read the clock, "rule.go:12 time.Now"
	Doc     bool     // has a package comment
}

// A Package is the Go files of one folder.
type Package struct {
	Dir   string // from the root
	Name  string
	Files []File
}

// A Tree is what the laws look at.
type Tree struct {
	Top      []string // names at the root
	Packages map[string]*Package
	Web      []File // the console's sources

	Spoken []Sentence        // what programs say to people
	Worded map[string]string // the same in Chinese, by form; nil without a phrasebook
}

// Load reads a tree.
func Load(root fs.FS) (*Tree, error) {
	t := &Tree{Packages: map[string]*Package{}}
	err := fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if p != "." && !strings.Contains(p, "/") {
			t.Top = append(t.Top, p)
		}
		if d.IsDir() {
			return enter(p, d.Name())
		}
		return t.add(root, p)
	})
	return t, err
}

// enter keeps out of folders that hold no source of ours.
func enter(p, name string) error {
	switch {
	case p == ".":
		return nil
	case strings.HasPrefix(name, "."), name == "node_modules", name == "testdata", p == "web/dist", p == "bin", p == "data":
		return fs.SkipDir
	}
	return nil
}

func (t *Tree) add(root fs.FS, p string) error {
	if p == phrasebook {
		src, err := fs.ReadFile(root, p)
		if err != nil {
			return err
		}
		return json.Unmarshal(src, &t.Worded)
	}
	ext := path.Ext(p)
	web := (ext == ".ts" || ext == ".tsx") && strings.HasPrefix(p, "web/")
	if ext != ".go" && !web {
		return nil
	}
	src, err := fs.ReadFile(root, p)
	if err != nil {
		return err
	}
	file := File{Path: p, Lines: bytes.Count(src, []byte("\n"))}
	if web {
		file.Generated = strings.HasSuffix(p, "schema.d.ts")
		t.Web = append(t.Web, file)
		return nil
	}
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, p, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	file.Test = strings.HasSuffix(p, "_test.go")
	file.Generated = ast.IsGenerated(parsed)
	file.Doc = parsed.Doc.Text() != ""
	for _, i := range parsed.Imports {
		name, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return err
		}
		file.Imports = append(file.Imports, name)
	}
	file.Clock = clockReads(set, parsed)
	if !file.Test && !file.Generated {
		t.Spoken = append(t.Spoken, spoken(set, p, parsed)...)
	}

	dir := path.Dir(p)
	pkg := t.Packages[dir]
	if pkg == nil {
		pkg = &Package{Dir: dir}
		t.Packages[dir] = pkg
	}
	if name := parsed.Name.Name; !strings.HasSuffix(name, "_test") {
		pkg.Name = name
	}
	pkg.Files = append(pkg.Files, file)
	return nil
}

// clockReads finds time.Now and what calls it, called or handed on as a value.
func clockReads(set *token.FileSet, f *ast.File) []string {
	local := ""
	for _, i := range f.Imports {
		if i.Path.Value == `"time"` {
			local = "time"
			if i.Name != nil {
				local = i.Name.Name
			}
		}
	}
	if local == "" {
		return nil
	}
	var found []string
	ast.Inspect(f, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if id, ok := sel.X.(*ast.Ident); ok && id.Name == local &&
			slices.Contains([]string{"Now", "Since", "Until"}, sel.Sel.Name) {
			at := set.Position(sel.Pos())
			found = append(found, fmt.Sprintf("%s:%d time.%s", at.Filename, at.Line, sel.Sel.Name))
		}
		return true
	})
	return found
}

// Sorted lists the packages by folder.
func (t *Tree) Sorted() []*Package {
	var all []*Package
	for _, p := range t.Packages {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *Package) int { return strings.Compare(a.Dir, b.Dir) })
	return all
}

// Code lists the files that end up in a program.
func (p *Package) Code() []File {
	return slices.DeleteFunc(slices.Clone(p.Files), func(f File) bool { return f.Test })
}

// Own turns an import path into a folder of this tree.
func Own(imported string) (dir string, ok bool) {
	return strings.CutPrefix(imported, Module+"/")
}

// Within says that dir is room or lies below it.
func Within(dir, room string) bool {
	return dir == room || strings.HasPrefix(dir, room+"/")
}

// WithinAny says the same for any of the rooms.
func WithinAny(dir string, rooms []string) bool {
	return slices.ContainsFunc(rooms, func(room string) bool { return Within(dir, room) })
}
