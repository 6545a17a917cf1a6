package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// name is what the server calls itself.
const name = "counterfoil"

// release is the version of this program.
const release = "0.1.0"

func (s *shell) version() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Say which version this is", Args: takes(0, ""),
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprintln(s.Out, thisVersion())
			return nil
		},
	}
}

// thisVersion is what version and --version print.
func thisVersion() string {
	return fmt.Sprintf("%s %s%s (%s, %s/%s)", name, release, revision(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// revision is the commit that the program was built from, where that is known.
func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "+" + s.Value[:12]
		}
	}
	return ""
}
