package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"
)

// config is what a run works with.
type config struct {
	dataDir         string
	sandboxURL      string // empty: the sandbox runs in this process
	ledger          string // empty: <data-dir>/<account>.ledger.db
	providerTimeout time.Duration
	answerWithin    time.Duration
	sweepEvery      time.Duration
	logLevel        slog.Level
	notifying       notifying
	http            httpSettings
}

// setting is one thing that can be configured: by its flag, its environment
// variable, its line in the file, or not at all; the first of these counts.
type setting struct {
	flag      string
	kind      string // of its value, for the help
	env       string
	byDefault string
	means     string
	set       func(c *config, text string) error
}

var settings = []setting{
	{
		flag: "data-dir", kind: "DIR", env: "COUNTERFOIL_DATA_DIR", means: "where the ledgers, the sandbox and policy.yaml are kept",
		set: func(c *config, text string) error { c.dataDir = text; return nil },
	},
	{
		flag: "sandbox-url", kind: "URL", env: "COUNTERFOIL_SANDBOX_URL", means: "a sandbox that runs on its own; none: one runs inside",
		set: func(c *config, text string) error { return c.setURL(text) },
	},
	{
		flag: "ledger", kind: "FILE", means: "the ledger's file, where it is not in the data directory",
		set: func(c *config, text string) error { c.ledger = text; return nil },
	},
	{
		flag: "provider-timeout", kind: "DURATION", byDefault: "5s", means: "how long one request may take; under half of answer-within",
		set: func(c *config, text string) error { return setDuration(&c.providerTimeout, text) },
	},
	{
		flag: "answer-within", kind: "DURATION", byDefault: "20s", means: "how long one call may take",
		set: func(c *config, text string) error { return setDuration(&c.answerWithin, text) },
	},
	{
		flag: "sweep-every", kind: "DURATION", byDefault: "15s", means: "how often what was left open is looked up",
		set: func(c *config, text string) error { return setDuration(&c.sweepEvery, text) },
	},
	{
		flag: "log-level", kind: "LEVEL", byDefault: "info", means: "debug, info, warn or error; logs go to standard error",
		set: func(c *config, text string) error {
			if err := c.logLevel.UnmarshalText([]byte(text)); err != nil {
				return errors.New("must be debug, info, warn or error")
			}
			return nil
		},
	},
}

func (c *config) setURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return errors.New("must look like http://127.0.0.1:8080")
	}
	c.sandboxURL = text
	return nil
}

func setDuration(to *time.Duration, text string) error {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return errors.New("must be a duration above zero, such as 500ms or 20s")
	}
	*to = d
	return nil
}

// text is a flag's value as it was given; what it means is decided once it is
// known which source counts.
type text struct{ given, kind string }

// String is the text.
func (t *text) String() string { return t.given }

// Set takes any text.
func (t *text) Set(given string) error { t.given = given; return nil }

// Type is what the help calls it.
func (t *text) Type() string { return t.kind }

func (s setting) usage() string {
	if s.env == "" {
		return s.means
	}
	return s.means + " (" + s.env + ")"
}

// name is the setting's name in the file.
func (s setting) name() string { return strings.ReplaceAll(s.flag, "-", "_") }

// configure reads the configuration. What was asked for and cannot be had is an
// error, never a default: a real provider must not turn into the sandbox.
func (s *shell) configure(cmd *cobra.Command) (config, error) {
	var c config
	file, err := s.configFile(cmd)
	if err != nil {
		return c, err
	}
	for _, setting := range settings {
		text, from, err := s.textOf(cmd, setting, file.Settings)
		if err != nil {
			return c, err
		}
		if text == "" {
			continue
		}
		if err := setting.set(&c, text); err != nil {
			return c, misused("%s: %q: %w", from, text, err)
		}
	}
	if c.notifying, err = file.Notify.understand(secrets{file.folder, s.environment}); err != nil {
		return c, misused("notify in the configuration: %w", err)
	}
	if c.http, err = file.HTTP.understand(file.folder); err != nil {
		return c, misused("http in the configuration: %w", err)
	}
	if c.dataDir == "" {
		if c.dataDir, err = s.defaultDataDir(); err != nil {
			return c, err
		}
	}
	if 2*c.providerTimeout >= c.answerWithin {
		return c, misused("provider-timeout %v must be under half of answer-within %v: a lookup has to fit in as well", c.providerTimeout, c.answerWithin)
	}
	return c, nil
}

// textOf is a setting's text and where it comes from.
func (s *shell) textOf(cmd *cobra.Command, setting setting, file map[string]string) (text, from string, err error) {
	if flag := cmd.Flags().Lookup(setting.flag); flag != nil && flag.Changed {
		if flag.Value.String() == "" {
			return "", "", misused("--%s is empty", setting.flag)
		}
		return flag.Value.String(), "--" + setting.flag, nil
	}
	if setting.env != "" {
		if given := s.environment(setting.env); given != "" {
			return given, setting.env, nil
		}
	}
	if text, ok := file[setting.name()]; ok {
		if text == "" {
			return "", "", misused("%s in the configuration is empty", setting.name())
		}
		return text, setting.name() + " in the configuration", nil
	}
	return setting.byDefault, "--" + setting.flag, nil
}

// configText is the configuration's file.
type configText struct {
	Notify   *notifyText       `yaml:"notify"`
	HTTP     *httpText         `yaml:"http"`
	Settings map[string]string `yaml:",inline"`
	folder   string            // that it lies in
}

// configFile reads the configuration's file; it is empty where none is named.
func (s *shell) configFile(cmd *cobra.Command) (file configText, err error) {
	path, named := s.configPath(cmd)
	if !named {
		return file, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return file, misused("configuration: %w", err)
	}
	if err := oneDocument(text, &file); err != nil {
		return file, misused("configuration %s: %w", path, err)
	}
	for name := range file.Settings {
		known := slices.ContainsFunc(settings, func(s setting) bool { return s.name() == name })
		if !known {
			return file, misused("configuration %s: there is no setting %q", path, name)
		}
	}
	file.folder = filepath.Dir(path)
	return file, nil
}

// oneDocument decodes a file of one YAML document, without anything unknown or
// double in it. A file that says nothing leaves to as it is.
func oneDocument(text []byte, to any) error {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(to); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return fmt.Errorf("it holds more than one document")
	}
	return nil
}
