package cli

import (
	"io"
	"log/slog"
	"runtime"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"counterfoil/cli/demo"
)

func (s *shell) demo() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "demo", Short: "Tell the incident of 17 March, as it was and as it is now", Args: takes(0, ""),
		Long: "Plays one incident twice, against a sandbox in a temporary directory: a refund\nwhose answer was lost, asked for again. Once with an ordinary tool, once through\ncounterfoil. It takes a few seconds and leaves nothing behind.",
		RunE: func(*cobra.Command, []string) error {
			asked, _, stop := s.signalled()
			defer stop()
			return demo.Run(asked, demo.Options{
				Out: s.Out, Colour: s.wantsColour(), JSON: asJSON, Now: time.Now, NewID: uuid.NewString,
				Log: slog.New(slog.NewTextHandler(s.Err, nil)),
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// wantsColour reports whether the result goes to a terminal that shows colours
// (no-color.org).
func (s *shell) wantsColour() bool {
	if s.Getenv("NO_COLOR") != "" || s.Getenv("TERM") == "dumb" || runtime.GOOS == "windows" && s.Getenv("WT_SESSION") == "" {
		return false
	}
	return isTerminal(s.Out)
}

func isTerminal(stream any) bool {
	file, ok := stream.(interface {
		io.Closer
		Fd() uintptr
	})
	return ok && term.IsTerminal(int(file.Fd()))
}
