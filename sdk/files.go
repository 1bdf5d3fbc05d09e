// Package sdk contains what the SDKs that a server hands out have in addition to their generated
// files. lib has copies of sdk/go, which is another module, and of sdk/ts as JavaScript.
package sdk

import "embed"

// Files are the files by their path in this folder.
//
//go:embed lib/go lib/ts ts/package.json ts/README.md ts/LICENSE
//go:embed python/slipway_sdk/__init__.py python/slipway_sdk/client.py python/slipway_sdk/errors.py python/slipway_sdk/files.py
//go:embed python/slipway_sdk/oauth.py python/slipway_sdk/pages.py python/slipway_sdk/webhook.py python/slipway_sdk/py.typed
//go:embed python/README.md python/LICENSE
var Files embed.FS
