// Package docs embeds the guides, which the server shows under /docs.
package docs

import "embed"

// Files are the guides in Markdown, by the names of their files.
//
//go:embed *.md
var Files embed.FS
