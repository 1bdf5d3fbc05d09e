package app

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/version"
)

// Commit is the commit of the build, set by the linker. A build of a clone without the
// Makefile has it from Go.
var Commit string

// Date is the date of the commit.
var Date string

// Downloads is the address of the releases. A release has it.
var Downloads string

// PublicKey is the key that signs the releases, as Base64.
var PublicKey string

func init() {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return
	}
	if Build == "dev" && info.Main.Version != "" && info.Main.Version != "(devel)" {
		Build = info.Main.Version // go install module@version
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && Commit == "":
			Commit = s.Value
		case s.Key == "vcs.time" && Date == "":
			Date = s.Value
		}
	}
}

// Version returns the versions of the program, the API and the schema.
func Version() string {
	return fmt.Sprintf("slipway %s, API %s\ncommit %s\ndate %s\nschema %d\n%s %s/%s\n",
		Build, version.Latest(), cmp.Or(Commit, "unknown"), cmp.Or(Date, "unknown"), db.Schema(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
