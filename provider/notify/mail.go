package notify

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"time"

	"github.com/wneessen/go-mail"

	"counterfoil/intent"
)

// TLS is how a mail server is spoken to in secret. The zero value is StartTLS.
type TLS string

// The ways of TLS.
const (
	StartTLS TLS = "starttls" // asked for in the clear, and insisted on; port 587
	Implicit TLS = "implicit" // from the first byte; port 465
	NoTLS    TLS = "none"     // for this machine only; port 25
)

// MailOptions are what mail is sent with.
type MailOptions struct {
	Host     string
	Port     int // that of TLS when zero
	From     string
	To       []string
	User     string // empty: without signing in
	Password string
	TLS      TLS
	// TLSConfig is what TLS is spoken with: own roots, client certificates.
	TLSConfig *tls.Config
	Now       func() time.Time
	// Timeout bounds one mail where its context does not; 30 s when zero.
	Timeout time.Duration
}

// Mail notifies by a mail in plain text.
type Mail struct{ o MailOptions }

const mailTimeout = 30 * time.Second

// NewMail makes the sender of mails. It connects to nothing yet.
func NewMail(o MailOptions) (*Mail, error) {
	port, known := map[TLS]int{"": 587, StartTLS: 587, Implicit: 465, NoTLS: 25}[o.TLS]
	switch {
	case !known:
		return nil, errors.New("tls must be starttls, implicit or none")
	case o.TLS == NoTLS && !loopback(o.Host):
		return nil, errors.New("tls: none is for a mail server on this machine only")
	case len(o.To) == 0:
		return nil, errors.New("to is empty: who is to be notified?")
	case o.User == "" && o.Password != "":
		return nil, errors.New("there is a password, and no user")
	}
	if o.Port == 0 {
		o.Port = port
	}
	if o.Timeout <= 0 {
		o.Timeout = mailTimeout
	}
	m := &Mail{o}
	if _, err := m.message(intent.Escalation{}); err != nil {
		return nil, err
	}
	_, err := m.client(nil)
	return m, err
}

// Name is how a reader is told that this was the way.
func (*Mail) Name() string { return "mail" }

// Notify sends one mail. It returns nil once the server has taken it, even if
// the parting goes wrong after that.
func (m *Mail) Notify(ctx context.Context, e intent.Escalation) error {
	ctx, cancel := context.WithTimeout(ctx, m.o.Timeout)
	defer cancel()
	message, err := m.message(e)
	if err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	client, err := m.client(dialWithin(ctx, m.o))
	if err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	if err := client.DialAndSendWithContext(ctx, message); err != nil && !message.IsDelivered() {
		return fmt.Errorf("mail: %w", err)
	}
	return nil
}

// client is good for one mail. It never signs in in the clear, except on this
// machine.
func (m *Mail) client(dial mail.DialContextFunc) (*mail.Client, error) {
	options := []mail.Option{
		mail.WithPort(m.o.Port), mail.WithTimeout(m.o.Timeout), mail.WithoutNoop(),
		mail.WithTLSConfig(tlsConfig(m.o)),
	}
	if dial != nil {
		options = append(options, mail.WithDialContextFunc(dial))
	}
	switch m.o.TLS {
	case Implicit:
		options = append(options, mail.WithSSL())
	case NoTLS:
		options = append(options, mail.WithTLSPolicy(mail.NoTLS))
	case StartTLS, "":
		options = append(options, mail.WithTLSPolicy(mail.TLSMandatory))
	}
	if m.o.User != "" {
		options = append(options, mail.WithUsername(m.o.User), mail.WithPassword(m.o.Password), signIn)
	}
	return mail.NewClient(m.o.Host, options...)
}

// signIn takes the strongest way that the server knows. The last two refuse to
// be used in the clear on a network.
var signIn = mail.WithOpportunisticSMTPAuth(
	mail.SMTPAuthSCRAMSHA256PLUS, mail.SMTPAuthSCRAMSHA256, mail.SMTPAuthPlain, mail.SMTPAuthLogin,
)
