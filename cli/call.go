package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"counterfoil/intent"
	"counterfoil/schemas"
	"counterfoil/tools"
)

const aboutCall = `Calls one tool, as a model would, and prints what it answers.

It settles no other act than the one it is asked for; see sweep for those.
Exit status: 0 performed, already_performed or found; 1 not performed, not found
or unreachable; 2 the command line is wrong; 3 it could not be determined.`

func (s *shell) call() *cobra.Command {
	var given string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "call TOOL [KEY=VALUE …]", Short: "Call one tool", Long: aboutCall,
		Example: "  counterfoil call get_order order_id=SU-88421\n" +
			"  counterfoil call issue_refund ticket_id=T-4127 order_id=SU-88421 item_id=SHELF-OAK-4 amount_cents=11800",
		Args: needsTool,
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := s.configure(cmd)
			if err != nil {
				return err
			}
			w, err := s.worksOf(cfg)
			if err != nil {
				return err
			}
			defer w.Close()
			raw, err := argumentsOf(w.schemas, args[0], args[1:], given, cmd.Flags().Changed("args"))
			if err != nil {
				return err
			}
			return s.callTool(w, args[0], raw, asJSON)
		},
	}
	cmd.Flags().StringVar(&given, "args", "", "the arguments as one JSON object, instead of KEY=VALUE")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the whole result as JSON")
	return cmd
}

// needsTool: the first argument is a tool's name.
func needsTool(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return misused("%s: name a tool", spoken(cmd))
	}
	return nil
}

// argumentsOf are the bytes of a call's arguments. Whether they are good
// arguments is the tool's to say.
func argumentsOf(set *schemas.Set, tool string, pairs []string, given string, isGiven bool) ([]byte, error) {
	schema := set.Input(tool)
	switch {
	case schema == nil:
		return nil, misused("there is no tool %q", tool)
	case isGiven && len(pairs) > 0:
		return nil, misused("give the arguments as KEY=VALUE or as --args, not both")
	case isGiven:
		return []byte(given), nil
	}
	raw, err := tools.ParseKeyValues(schema, pairs)
	if err != nil {
		return nil, misused("%w", err)
	}
	return raw, nil
}

// callTool calls a tool and prints its answer.
func (s *shell) callTool(w *works, name string, raw []byte, asJSON bool) error {
	asked, _, stop := s.signalled()
	defer stop()
	if err := w.openAnyway(asked); err != nil {
		return err
	}
	tool, ok := w.tool(name)
	if !ok {
		return misused("there is no tool %q; there are %s", name, strings.Join(w.toolNames(), ", "))
	}
	var answer tools.Answer
	if !attend(asked, w.engine, func(ctx context.Context) { answer = tool.Call(ctx, raw) }) {
		return &exit{exitUnknown, errors.New("left before the answer; what was begun is settled by the next sweep")}
	}
	return s.printAnswer(answer, asJSON)
}

func (w *works) toolNames() []string {
	names := make([]string, len(w.catalog))
	for i, t := range w.catalog {
		names[i] = t.Name
	}
	return names
}

// printAnswer prints what a tool answered, and ends the command as that went.
func (s *shell) printAnswer(answer tools.Answer, asJSON bool) error {
	if asJSON {
		body, err := tools.Encode(answer)
		if err != nil {
			return err
		}
		fmt.Fprintf(s.Out, "%s\n", body)
		return silently(codeOf(answer))
	}
	switch a := answer.(type) {
	case *intent.Result:
		for _, line := range []string{a.Verdict, a.Note, forCustomer(a.TellCustomer)} {
			if line != "" {
				fmt.Fprintln(s.Out, line)
			}
		}
	case *tools.ReadResult:
		fmt.Fprintln(s.Out, a.Verdict)
	}
	return silently(codeOf(answer))
}

func forCustomer(text string) string {
	if text == "" {
		return ""
	}
	return "Tell the customer: " + text
}

// codeOf is the exit status of an answer.
func codeOf(answer tools.Answer) int {
	switch a := answer.(type) {
	case *intent.Result:
		switch a.Outcome {
		case intent.Performed, intent.AlreadyPerformed:
			return exitDone
		case intent.NotPerformed:
			return exitNo
		case intent.Unknown:
		}
		return exitUnknown
	case *tools.ReadResult:
		if a.Outcome == tools.OutcomeFound {
			return exitDone
		}
		return exitNo
	}
	return exitUnknown
}
