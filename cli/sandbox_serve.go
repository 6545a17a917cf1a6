package cli

import (
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/spf13/cobra"

	"counterfoil/sandbox"
)

func (s *shell) sandboxServe() *cobra.Command {
	var addr, declare string
	cmd := &cobra.Command{
		Use: "serve", Short: "Run the sandbox on its own", Args: takes(0, ""),
		Long: "Runs the sandbox on its own, so that it outlives the servers that use it. Its\nstate lies in the data directory, where every other sandbox of that directory\nsees it too.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			declared, err := sandbox.ParseDeclarations(declare)
			if err != nil {
				return misused("--declare: %w", err)
			}
			if _, _, err := net.SplitHostPort(addr); err != nil {
				return misused("--addr %q: must look like 127.0.0.1:0", addr)
			}
			cfg, err := s.configure(cmd)
			if err != nil {
				return err
			}
			w, err := s.worksOf(cfg)
			if err != nil {
				return err
			}
			defer w.Close()
			return s.serveBox(w, addr, declared)
		},
	}
	cmd.Flags().StringVar(&addr, "addr", "127.0.0.1:0", "where to listen; port 0 takes any that is free")
	cmd.Flags().StringVar(&declare, "declare", "", "what to declare otherwise, such as refunds.dedupe=none,refunds.lookup=delayed:30s")
	return cmd
}

// serveBox serves the sandbox until a signal asks to leave.
func (s *shell) serveBox(w *works, addr string, declared map[string]string) (err error) {
	asked, _, stop := s.signalled()
	defer stop()
	box, err := openBox(asked, w.cfg, declared, w.log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, box.Close()) }()
	listener, err := new(net.ListenConfig).Listen(asked, "tcp", addr)
	if err != nil {
		return err
	}
	if host, _, _ := net.SplitHostPort(listener.Addr().String()); !strings.HasPrefix(host, "127.") && host != "::1" {
		w.log.Warn("the sandbox asks nobody who they are, and this address can be reached from elsewhere", "addr", host)
	}
	fmt.Fprintf(s.Out, "listening on http://%s\n", listener.Addr())
	return sandbox.Serve(asked, listener, box)
}
