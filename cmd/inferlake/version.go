package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is set by the linker for a release.
var version = "dev"

type versionCommand struct{}

func (versionCommand) Run(p program) error {
	revision := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = " " + s.Value
			}
		}
	}
	_, err := fmt.Fprintf(p.stdout, "inferlake %s%s (%s %s/%s)\n", version, revision, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
