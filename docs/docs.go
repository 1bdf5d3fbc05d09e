// Package docs embeds the guides, which the server shows under /docs. Only the program
// imports it, so that a change of a guide reruns few tests.
package docs

import "embed"

// Files are the guides in Markdown and their plots, by the names of their files.
//
//go:embed *.md plots/*.svg
var Files embed.FS
