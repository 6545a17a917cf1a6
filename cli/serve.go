package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"counterfoil/intent"
	"counterfoil/server"
	"counterfoil/store"
	"counterfoil/tools"
)

// instructions are what a model is told of the server as a whole.
const instructions = `Every tool that changes something answers with one of four outcomes. ` +
	`performed: it happened on this call. ` +
	`already_performed: it exists from an earlier call and nothing was sent now; tell the customer of that one only. ` +
	`not_performed: nothing happened, and reason says why. ` +
	`unknown: it could not be determined; do not ask again, in no other form either. ` +
	`Ask again only when retry is wait_and_retry, after retry_after_seconds and with exactly the same arguments: that is safe. ` +
	`fix_and_retry asks for other arguments, as note says. ` +
	`list_effects answers what has been done or tried on a ticket; use it when you have lost track. ` +
	`Tell a customer no more than tell_customer allows.`

const onTerminal = `This is counterfoil, an MCP server. It speaks JSON-RPC on standard input and
output and now waits for a client, which would start it by itself. To add it to
one, such as Claude Desktop, Claude Code or Cursor:

  %s install --client claude-desktop      ("install --help" names the others)

To see what it is for, run: counterfoil demo      To leave, press Ctrl-C.
`

const aboutServe = `Serves MCP to one client on standard input and output, or with --http to any
number of them at http://ADDRESS/mcp, with /healthz, /readyz and /metrics beside
it. Clients of both kinds may be served from one data directory at once.

Whoever is on this machine may call a loopback address without a token. Where
others can reach the server, or --require-token says so, a token is needed:
counterfoil token add makes one. There is no TLS here: for anything beyond this
machine put a proxy with TLS in front, and name it with --host.`

func (s *shell) serve() *cobra.Command {
	var f httpFlags
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve MCP, on standard input and output or over HTTP", Args: takes(0, ""), Long: aboutServe,
		RunE: func(cmd *cobra.Command, _ []string) error {
			overHTTP := cmd.Flags().Changed("http")
			if !overHTTP && (f.requireToken || len(f.hosts) > 0) {
				return misused("--require-token and --host go with --http")
			}
			cfg, err := s.configure(cmd)
			if err != nil {
				return err
			}
			var d door
			if overHTTP {
				if d, err = cfg.openDoor(f); err != nil {
					return err
				}
			}
			w, err := s.worksOf(cfg)
			if err != nil {
				return err
			}
			defer w.Close()
			if overHTTP {
				return s.serveHTTP(w, f.addr, d)
			}
			return s.serveStdio(w)
		},
	}
	cmd.Flags().StringVar(&f.addr, "http", "", "serve over HTTP on this address, such as 127.0.0.1:8787; port 0 takes any that is free")
	cmd.Flags().BoolVar(&f.requireToken, "require-token", false, "with --http: ask for a token on loopback too")
	cmd.Flags().StringArrayVar(&f.hosts, "host", nil, "with --http: a further name of this server, such as a proxy's; may be given again")
	return cmd
}

// serveStdio serves one client. Where the ledger cannot be used it still reads
// and says so; where it is only busy, the client had better start again.
func (s *shell) serveStdio(w *works) error {
	asked, signals, stop := s.signalled()
	defer stop()
	s.greetTerminal()
	if err := w.openToServe(asked); err != nil {
		return err
	}
	mcp := server.New(name, release, instructions, server.Recover(tools.Fallback(w.catalog)))
	tools.Mount(mcp, w.catalog)
	engine := w.sweeping()
	defer engine.rest()
	w.log.Info("serving on stdio", "account", w.market.Account, "environment", w.market.Environment, "data_dir", w.cfg.dataDir)
	err := server.Stdio(asked, server.StdioOptions{
		MCP: mcp, In: s.In, Out: s.Out, Log: w.log, Engine: engine, Signals: signals,
	})
	return w.left(err)
}

// openToServe is open, but fails where the ledger is only busy.
func (w *works) openToServe(ctx context.Context) error {
	if err := w.open(ctx); err != nil {
		return err
	}
	if errors.Is(w.broken, store.ErrBusy) {
		return w.broken
	}
	return nil
}

// left says how a server ended.
func (w *works) left(err error) error {
	if errors.Is(err, server.ErrUnfinished) {
		w.log.Warn("what was left is settled by the next process", "error", err)
		return silently(exitNo)
	}
	return err
}

// greetTerminal tells a person who started the server by hand what it is.
func (s *shell) greetTerminal() {
	if !isTerminal(s.In) {
		return
	}
	self, err := os.Executable()
	if err != nil {
		self = name
	}
	_, _ = io.WriteString(s.Err, fmt.Sprintf(onTerminal, self))
}

// drainer is the engine with its sweeper, which begins nothing more once
// leaving has begun.
type drainer struct {
	*intent.Engine
	rest func()
}

func (d drainer) Leave(claimFor, finishWithin time.Duration) {
	d.rest()
	d.Engine.Leave(claimFor, finishWithin)
}

// sweeping starts the sweeper.
func (w *works) sweeping() drainer {
	ctx, cancel := context.WithCancel(context.Background())
	if w.broken == nil {
		go w.engine.Run(ctx, w.cfg.sweepEvery)
	}
	return drainer{w.engine, cancel}
}
