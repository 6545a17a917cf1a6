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
	"time"

	"go.yaml.in/yaml/v3"

	"counterfoil/policy"
)

// policyFile is the policy as its file says, read again whenever that changes.
type policyFile struct {
	path string
	log  *slog.Logger

	mu   sync.Mutex
	seen stamp
	last policy.Policy // the last good one
}

// stamp is by what a changed file is known.
type stamp struct {
	there bool
	at    time.Time
	size  int64
}

// openPolicy reads the policy. A file that is not there is the default; one
// that does not hold a policy is an error.
func openPolicy(path string, log *slog.Logger) (*policyFile, error) {
	p := &policyFile{path: path, log: log, last: policy.Default()}
	seen, err := stampOf(path)
	if err != nil {
		return nil, misused("policy: %w", err)
	}
	p.seen = seen
	if !seen.there {
		return p, nil
	}
	if p.last, err = readPolicy(path); err != nil {
		return nil, misused("policy %s: %w", path, err)
	}
	return p, nil
}

// current is the policy now. A change that cannot be read is reported once and
// leaves the last good one in force, and so does a file that was taken away: a
// ceiling that somebody lowered must not rise because an editor is saving.
func (p *policyFile) current() policy.Policy {
	p.mu.Lock()
	defer p.mu.Unlock()
	seen, err := stampOf(p.path)
	if seen == p.seen {
		return p.last
	}
	p.seen = seen
	var next policy.Policy
	switch {
	case err != nil:
	case !seen.there:
		err = errors.New("the file is gone")
	default:
		next, err = readPolicy(p.path)
	}
	if err != nil {
		p.log.Warn("the policy cannot be read; the last good one stays in force", "file", p.path, "error", err, "version", p.last.Version)
		return p.last
	}
	p.log.Info("the policy has changed", "from", p.last.Version, "to", next.Version)
	p.last = next
	return p.last
}

func stampOf(path string) (stamp, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return stamp{}, nil
	case err != nil:
		return stamp{}, err
	}
	return stamp{there: true, at: info.ModTime(), size: info.Size()}, nil
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

func readPolicy(path string) (policy.Policy, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return policy.Policy{}, err
	}
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
