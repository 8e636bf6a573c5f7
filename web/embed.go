// Package web carries the built console. dist holds only .gitkeep until the
// console has been built; Dist then reports false and the server says so
// instead of answering with an empty page.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var files embed.FS

// Dist returns the console's files and whether they were built into this binary.
func Dist() (fs.FS, bool) {
	sub, err := fs.Sub(files, "dist")
	if err != nil {
		return nil, false
	}
	_, err = fs.Stat(sub, "index.html")
	return sub, err == nil
}
