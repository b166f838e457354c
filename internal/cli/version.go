package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
)

// version is set by the linker: -X lukasa.dev/internal/cli.version=v1.2.3
var version string

// versionAnswer is what `lukasa version --json` prints.
type versionAnswer struct {
	Version  string `json:"version"`
	Protocol string `json:"protocol"`
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

func versionCommand(s *ask.Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: `Print the version of lukasa, its protocol, and what it was built with. Put this into a
bug report.`,
		Example: `  lukasa version
  lukasa version --json`,
		Args: ask.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := versionAnswer{
				Version:  buildVersion(),
				Protocol: hmx.Version,
				Go:       runtime.Version(),
				OS:       runtime.GOOS,
				Arch:     runtime.GOARCH,
			}
			if s.JSON {
				return s.WriteJSON(v)
			}
			fmt.Fprintf(s.Stdout, "%s %s\nprotocol %s\nbuilt with %s for %s/%s\n",
				s.Paint.Bold(term.Program), v.Version, v.Protocol, v.Go, v.OS, v.Arch)
			return nil
		},
	}
}

// buildVersion is the version that the linker set, or what Go recorded about the
// checkout or the module download, or "devel" when neither is known.
func buildVersion() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "devel-" + s.Value[:12]
		}
	}
	return "devel"
}
