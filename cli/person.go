package cli

import (
	"context"
	"errors"
	"fmt"
	"os/user"

	"github.com/spf13/cobra"

	"counterfoil/intent"
)

// personFlags say who decides, and why.
type personFlags struct {
	name       string
	note       string
	secretFile string
	asJSON     bool
}

func (f *personFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.name, "as", "", "who decides (default: the user of this machine)")
	cmd.Flags().StringVar(&f.note, "note", "", "why, for the record")
	cmd.Flags().StringVar(&f.secretFile, "secret-file", "", "read the operator's secret from a file instead of asking")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print JSON")
}

// person is who decides: whoever was named, else the user of this machine.
func (f *personFlags) person(s *shell) (intent.Person, error) {
	name := f.name
	if name == "" {
		if u, err := user.Current(); err == nil {
			name = u.Username
		}
	}
	if name == "" {
		name = s.Getenv("USER")
	}
	if name == "" {
		return intent.Person{}, misused("who decides? Name them with --as")
	}
	return intent.Person{Name: name, Note: f.note}, nil
}

// deciding is what a verb works with.
type deciding struct {
	*works
	asked  context.Context //nolint:containedctx // of one command, and no longer
	key    intent.Key
	person intent.Person
}

// verb makes a command by which a person decides on one intent.
func (s *shell) verb(use, short string, f *personFlags, do func(d deciding) error) *cobra.Command {
	cmd := &cobra.Command{
		Use: use + " KEY", Short: short, Args: takes(1, "one intent key"),
		RunE: func(cmd *cobra.Command, args []string) error {
			key, err := intent.ParseKey(args[0])
			if err != nil {
				return misused("%s: %w", args[0], err)
			}
			person, err := f.person(s)
			if err != nil {
				return err
			}
			return s.withEngine(cmd, (*works).openAnyway, func(asked context.Context, w *works) error {
				if w.broken != nil {
					return w.broken
				}
				if person.Secret, err = s.showSecret(asked, w, cmd.Name(), f.secretFile); err != nil {
					return err
				}
				return plainly(do(deciding{w, asked, key, person}))
			})
		},
	}
	f.add(cmd)
	return cmd
}

// plainly makes one clear sentence of why a decision does not apply.
func plainly(err error) error {
	var end *exit
	var notNow *intent.NotNowError
	switch {
	case errors.As(err, &end):
	case errors.As(err, &notNow):
		return &exit{exitNo, notNow}
	case errors.Is(err, intent.ErrNoIntent):
		return &exit{exitNo, intent.ErrNoIntent}
	}
	return err
}

// decision makes a command of a verb that only changes the row.
func (s *shell) decision(use, short, long string, do func(d deciding) (intent.Row, error)) *cobra.Command {
	var f personFlags
	cmd := s.verb(use, short, &f, func(d deciding) error {
		row, err := do(d)
		if err != nil {
			return err
		}
		return s.printDecided(row, f.asJSON)
	})
	cmd.Long = long
	return cmd
}

func (s *shell) printDecided(row intent.Row, asJSON bool) error {
	if asJSON {
		return printJSON(s.Out, entryOf(row))
	}
	fmt.Fprintf(s.Out, "Noted. %s is %s.\n", row.Key, stands(row))
	return nil
}

// stands is how a row stands now, for a person.
func stands(row intent.Row) string {
	text := string(row.State)
	if reason := intent.ReasonOf(row); reason != "" {
		text += ", " + string(reason)
	}
	if row.EffectID != "" {
		text += ", " + row.EffectID
	}
	return text
}
