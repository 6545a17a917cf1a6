package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"counterfoil/provider"
	"counterfoil/provider/notify"
)

// notifyText is the part of the configuration that says how a person is
// notified where no desk takes an escalation. It has no flags: what it needs
// does not fit on a command line, and secrets do not belong there. They come
// from files, or from the environment, which counts before them.
type notifyText struct {
	After   string       `yaml:"after"`
	Webhook *webhookText `yaml:"webhook"`
	Mail    *mailText    `yaml:"mail"`
}

type webhookText struct {
	URL        string `yaml:"url"`
	SecretFile string `yaml:"secret_file"`
}

type mailText struct {
	Host         string   `yaml:"host"`
	Port         uint16   `yaml:"port"`
	From         string   `yaml:"from"`
	To           []string `yaml:"to"`
	User         string   `yaml:"user"`
	PasswordFile string   `yaml:"password_file"`
	TLS          string   `yaml:"tls"`
}

// notifying is the same, understood, and its secrets read.
type notifying struct {
	after   time.Duration
	webhook *notify.WebhookOptions
	mail    *notify.MailOptions
}

// understand also reads the secrets.
func (t *notifyText) understand(from secrets) (n notifying, err error) {
	if t == nil {
		return n, nil
	}
	if t.Webhook == nil && t.Mail == nil {
		return n, fmt.Errorf("say how: webhook, mail or both")
	}
	if t.After != "" {
		if err := setDuration(&n.after, t.After); err != nil {
			return n, fmt.Errorf("after: %q: %w", t.After, err)
		}
	}
	if t.Webhook != nil {
		if n.webhook, err = t.Webhook.understand(from); err != nil {
			return n, fmt.Errorf("webhook: %w", err)
		}
	}
	if t.Mail != nil {
		if n.mail, err = t.Mail.understand(from); err != nil {
			return n, fmt.Errorf("mail: %w", err)
		}
	}
	_, err = n.ways(nil, nil, nil) // what cannot be used is refused now, and not when it is needed
	return n, err
}

func (t *webhookText) understand(from secrets) (*notify.WebhookOptions, error) {
	secret, err := from.secret(webhookEnv, "secret_file", t.SecretFile)
	return &notify.WebhookOptions{URL: t.URL, Secret: secret}, err
}

func (t *mailText) understand(from secrets) (*notify.MailOptions, error) {
	o := &notify.MailOptions{
		Host: t.Host, Port: int(t.Port), From: t.From, To: t.To, User: t.User, TLS: notify.TLS(t.TLS),
	}
	if t.User == "" && t.PasswordFile == "" {
		return o, nil
	}
	password, err := from.secret(passwordEnv, "password_file", t.PasswordFile)
	o.Password = string(password)
	return o, err
}

// secrets is where secrets come from. Their files are named from the
// configuration's own folder: whoever starts a server does not choose where it
// stands.
type secrets struct {
	folder      string
	environment func(name string) string
}

// secret is one of them; a file's without the line's end.
func (from secrets) secret(env, setting, path string) ([]byte, error) {
	if given := from.environment(env); given != "" {
		return []byte(given), nil
	}
	if path == "" {
		return nil, fmt.Errorf("%s is missing, and %s is not set", setting, env)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(from.folder, path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", setting, err)
	}
	secret := bytes.TrimRight(text, "\r\n")
	if len(secret) == 0 {
		return nil, fmt.Errorf("%s: %s is empty", setting, path)
	}
	return secret, nil
}

// ways are the ways to reach a person.
func (n notifying) ways(http *provider.Client, now func() time.Time, fault func(error)) (notify.Ways, error) {
	if now == nil {
		now = time.Now
	}
	ways := notify.Ways{Fault: fault}
	if n.webhook != nil {
		o := *n.webhook
		o.HTTP, o.Now = http, now
		webhook, err := notify.NewWebhook(o)
		if err != nil {
			return ways, fmt.Errorf("webhook: %w", err)
		}
		ways.All = append(ways.All, webhook)
	}
	if n.mail != nil {
		o := *n.mail
		o.Now = now
		mail, err := notify.NewMail(o)
		if err != nil {
			return ways, fmt.Errorf("mail: %w", err)
		}
		ways.All = append(ways.All, mail)
	}
	return ways, nil
}
