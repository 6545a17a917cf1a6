package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"counterfoil/provider"
)

var (
	errSecretSet   = errors.New("the operator's secret is set already; counterfoil operator change replaces it")
	errNoSecret    = errors.New("no operator's secret has been set; a person sets one with: counterfoil operator init")
	errWrongSecret = errors.New("that is not the operator's secret; nothing was done")
	errNoTerminal  = errors.New("there is no terminal to ask for the operator's secret on; run it in one, or give --secret-file")
)

// guessPause is how long a wrong secret costs.
const guessPause = time.Second

// needsSecret reports whether a person's verbs need the operator's secret on
// this marketplace even where none is set. A live environment is real, whatever
// an adapter says of itself.
func needsSecret(m provider.Marketplace) bool { return m.Real || m.Environment == "" }

// showSecret lets a person's verb go on: with the operator's secret where there
// is one, and without where none is set and none is needed. It returns whether
// the secret was shown.
func (s *shell) showSecret(ctx context.Context, w *works, verb, file string) (shown bool, err error) {
	files := w.cfg.operatorFiles()
	switch {
	case len(files) > 0:
		return true, s.checkSecret(ctx, files, file)
	case needsSecret(w.market):
		return false, fmt.Errorf("%s belongs to a person, and %w", verb, errNoSecret)
	}
	return false, nil
}

// checkSecret asks for the operator's secret and is an error where it is not
// the one of every file.
func (s *shell) checkSecret(ctx context.Context, files []string, file string) error {
	secret, err := s.secret(ctx, "Operator's secret: ", file)
	if err != nil {
		return err
	}
	right, err := fitsAll(files, secret)
	if err != nil {
		return err
	}
	if right {
		return nil
	}
	pause := time.NewTimer(guessPause)
	defer pause.Stop()
	select {
	case <-pause.C:
	case <-ctx.Done():
	}
	return errWrongSecret
}

// secret is what a file bears, or what a person types.
func (s *shell) secret(ctx context.Context, prompt, file string) (string, error) {
	if file != "" {
		return readSecretFile(file)
	}
	if s.Ask == nil {
		return "", errNoTerminal
	}
	return s.Ask(ctx, prompt)
}
