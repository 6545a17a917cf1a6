package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"regexp"
	"strconv"
	"sync"

	"go.yaml.in/yaml/v3"

	"counterfoil/policy"
)

// policyFile is the policy as its file says, read at every decision: the file is
// tiny, and neither its time nor its size tells every change.
type policyFile struct {
	path string
	log  *slog.Logger

	mu   sync.Mutex
	seen fileText
	good policy.Policy // the last that was read, or the default where there was no file
	now  policy.Policy // what holds
}

// fileText is what reading a file gave. The zero value is a file that is not
// there.
type fileText struct {
	text  string
	there bool
	wrong string // why it could not be read
}

// openPolicy reads the policy. A file that is not there is the default; one
// that does not hold a policy is an error.
func openPolicy(path string, log *slog.Logger) (*policyFile, error) {
	seen, p, err := readPolicy(path)
	if err != nil {
		return nil, misused("policy %s: %w", path, err)
	}
	return &policyFile{path: path, log: log, seen: seen, good: p, now: p}, nil
}

// current is the policy now. Where the file is gone, it is the one that every
// process reads that starts now; where it cannot be read, the stricter of that
// one and the last good one: a ceiling that somebody lowered must not rise
// because an editor is saving. Either is reported once.
func (p *policyFile) current() policy.Policy {
	p.mu.Lock()
	defer p.mu.Unlock()
	seen, next, err := readPolicy(p.path)
	if seen == p.seen {
		return p.now
	}
	p.seen = seen
	from := p.now.Version
	switch {
	case err != nil:
		p.now = policy.Stricter(p.good, policy.Default())
		p.log.Warn("the policy cannot be read; the last good one stays in force, and no ceiling is above the built-in one's",
			"file", p.path, "error", err, "version", p.now.Version)
		return p.now
	case !seen.there:
		p.log.Warn("the policy's file is gone; the built-in policy holds", "file", p.path, "from", from)
	default:
		p.log.Info("the policy has changed", "from", from, "to", next.Version)
	}
	p.good, p.now = next, next
	return p.now
}

// policyText is the file: every field must be there, so that nothing is allowed
// by being left out.
type policyText struct {
	RefundCeilings *map[string]struct {
		PerRefundCents *wholeCents `yaml:"per_refund_cents"`
		PerTicketCents *wholeCents `yaml:"per_ticket_cents"`
	} `yaml:"refund_ceilings"`
}

// wholeCents is an amount in minor units, in digits: the library would take 1.5
// for 1, and 0x10 for 16.
type wholeCents int64

var wholeNumber = regexp.MustCompile(`^(0|[1-9][0-9]*)$`)

// UnmarshalYAML takes digits and nothing else.
func (c *wholeCents) UnmarshalYAML(node *yaml.Node) error {
	n, err := strconv.ParseInt(node.Value, 10, 64)
	if err != nil || node.Tag != "!!int" || !wholeNumber.MatchString(node.Value) {
		return fmt.Errorf("line %d: %q is no whole number of cents", node.Line, node.Value)
	}
	*c = wholeCents(n)
	return nil
}

var currencyForm = regexp.MustCompile(`^[A-Z]{3}$`)

// readPolicy reads the file as it is now.
func readPolicy(path string) (fileText, policy.Policy, error) {
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fileText{}, policy.Default(), nil
	case err != nil:
		return fileText{wrong: err.Error()}, policy.Policy{}, err
	}
	p, err := parsePolicy(text)
	return fileText{text: string(text), there: true}, p, err
}

func parsePolicy(text []byte) (policy.Policy, error) {
	var file policyText
	if err := oneDocument(text, &file); err != nil {
		return policy.Policy{}, err
	}
	if file.RefundCeilings == nil {
		return policy.Policy{}, errors.New("refund_ceilings is missing")
	}
	p := policy.Policy{Version: versionOf(text), Ceilings: map[string]policy.Ceiling{}}
	for currency, c := range *file.RefundCeilings {
		switch {
		case !currencyForm.MatchString(currency):
			return policy.Policy{}, fmt.Errorf("refund_ceilings: %q is no currency such as USD", currency)
		case c.PerRefundCents == nil || c.PerTicketCents == nil:
			return policy.Policy{}, fmt.Errorf("refund_ceilings: %s needs per_refund_cents and per_ticket_cents", currency)
		}
		p.Ceilings[currency] = policy.Ceiling{PerRefundCents: int64(*c.PerRefundCents), PerTicketCents: int64(*c.PerTicketCents)}
	}
	return p, nil
}

// versionOf names a text by its first 12 hex digits of SHA-256.
func versionOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6])
}
