package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// capability is what the marketplace declares of one kind of effect. Dedupe,
// Lookup and LandsWithin keep the words they were declared with.
type capability struct {
	Dedupe       string `json:"dedupe"`
	Lookup       string `json:"lookup"`
	LandsWithin  string `json:"lands_within"`
	ErrorsStored bool   `json:"errors_stored"`

	keeps     time.Duration // how long a key is kept; 0: keys are not honoured
	listable  bool          // whether the list by intent exists
	listDelay time.Duration // how long after landing a list shows an effect
}

func defaultCapability() capability {
	return capability{
		Dedupe:       "24h",
		Lookup:       "read_after_write",
		LandsWithin:  "30s",
		ErrorsStored: true,
		keeps:        24 * time.Hour,
		listable:     true,
	}
}

// declare overrides one property. The zero capability never escapes: an error
// leaves c as it was.
func (c *capability) declare(property, value string) error {
	switch property {
	case "dedupe":
		return c.declareDedupe(value)
	case "lookup":
		return c.declareLookup(value)
	case "lands_within":
		if _, err := duration(value); err != nil {
			return err
		}
		c.LandsWithin = value
	case "errors_stored":
		stored, err := strconv.ParseBool(value)
		if err != nil || (value != "true" && value != "false") {
			return errors.New("must be true or false")
		}
		c.ErrorsStored = stored
	default:
		return errors.New("is not something that can be declared: dedupe, lookup, lands_within, errors_stored")
	}
	return nil
}

func (c *capability) declareDedupe(value string) error {
	var keeps time.Duration
	if value != "none" {
		var err error
		if keeps, err = duration(value); err != nil {
			return err
		}
	}
	c.Dedupe, c.keeps = value, keeps
	return nil
}

func (c *capability) declareLookup(value string) error {
	listable, delay := false, time.Duration(0)
	switch {
	case value == "none", value == "webhook":
	case value == "read_after_write":
		listable = true
	case strings.HasPrefix(value, "delayed:"):
		var err error
		if delay, err = duration(strings.TrimPrefix(value, "delayed:")); err != nil {
			return err
		}
		listable = true
	default:
		return errors.New("must be none, webhook, delayed:DURATION or read_after_write")
	}
	c.Lookup, c.listable, c.listDelay = value, listable, delay
	return nil
}

func duration(value string) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err != nil || d <= 0 {
		return 0, errors.New("must be a duration above zero, such as 30s or 24h")
	}
	return d, nil
}

// ParseDeclarations reads a list such as
// "refunds.dedupe=none,refunds.lookup=delayed:30s". A name is a kind of effect
// (refunds, messages, pickups, replacements, escalations), a dot and dedupe,
// lookup, lands_within or errors_stored. Unknown names, impossible values and a
// name that comes twice are errors. An empty list declares nothing.
func ParseDeclarations(list string) (map[string]string, error) {
	declared := map[string]string{}
	if strings.TrimSpace(list) == "" {
		return declared, nil
	}
	for part := range strings.SplitSeq(list, ",") {
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			return nil, fmt.Errorf("declaration %q has no value", strings.TrimSpace(part))
		}
		name = strings.TrimSpace(name)
		if _, twice := declared[name]; twice {
			return nil, fmt.Errorf("declaration %s comes twice", name)
		}
		declared[name] = strings.TrimSpace(value)
	}
	if _, err := declarations(declared); err != nil {
		return nil, err
	}
	return declared, nil
}

// declarations returns the capabilities by collection, the overrides applied.
func declarations(overrides map[string]string) (map[string]capability, error) {
	declared := map[string]capability{}
	for _, k := range kinds {
		declared[k.collection] = defaultCapability()
	}
	names := make([]string, 0, len(overrides))
	for name := range overrides {
		names = append(names, name)
	}
	slices.Sort(names) // so that the same mistake gives the same error
	for _, name := range names {
		collection, property, _ := strings.Cut(name, ".")
		c, ok := declared[collection]
		if !ok {
			return nil, fmt.Errorf("declaration %s names no kind of effect", name)
		}
		if err := c.declare(property, overrides[name]); err != nil {
			return nil, fmt.Errorf("declaration %s=%s: %w", name, overrides[name], err)
		}
		declared[collection] = c
	}
	return declared, nil
}
