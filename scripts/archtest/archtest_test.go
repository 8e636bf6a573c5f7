package archtest_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/allspark/allspark/scripts/archtest"
)

func TestLaws(t *testing.T) {
	tree, err := archtest.Load(os.DirFS("../.."))
	require.NoError(t, err)
	require.NotEmpty(t, tree.Packages)
	for _, law := range archtest.Laws {
		t.Run(law.Name, func(t *testing.T) {
			for _, broken := range law.Check(tree) {
				t.Errorf("%s\n\tlaw: %s", broken, law.Says)
			}
		})
	}
}

// Each law has a tree that breaks it. The head of the file lists, a line each,
// all that the law must find in it.
func TestEachLawCanBeBroken(t *testing.T) {
	for _, law := range archtest.Laws {
		t.Run(law.Name, func(t *testing.T) {
			want, tree := fixture(t, law.Name)
			require.NotEmpty(t, want)
			require.ElementsMatch(t, want, law.Check(tree))
		})
	}
}

func TestALawfulTreeBreaksNone(t *testing.T) {
	_, tree := fixture(t, "lawful")
	for _, law := range archtest.Laws {
		require.Empty(t, law.Check(tree), law.Name)
	}
}

func fixture(t *testing.T, name string) (head []string, tree *archtest.Tree) {
	archive, err := txtar.ParseFile("testdata/" + name + ".txtar")
	require.NoError(t, err)
	if name == "size" { // too long to keep as it is
		for i := range archive.Files {
			archive.Files[i].Data = append(archive.Files[i].Data, strings.Repeat("// …\n", 400)...)
		}
	}
	files, err := txtar.FS(archive)
	require.NoError(t, err)
	tree, err = archtest.Load(files)
	require.NoError(t, err)
	return strings.FieldsFunc(string(archive.Comment), func(r rune) bool { return r == '\n' }), tree
}
