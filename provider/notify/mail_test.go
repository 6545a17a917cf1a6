package notify_test

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"io"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"counterfoil/intent"
	"counterfoil/provider/notify"
)

func options(s *smtpServer, way notify.TLS) notify.MailOptions {
	return notify.MailOptions{
		Host: "127.0.0.1", Port: s.port, From: "counterfoil@shop.example", To: []string{"lead@shop.example", "Night Desk <night@shop.example>"},
		TLS: way, TLSConfig: &tls.Config{RootCAs: s.roots, MinVersion: tls.VersionTLS12}, Now: clock, Timeout: 5 * time.Second,
	}
}

func sender(t *testing.T, o notify.MailOptions) *notify.Mail {
	t.Helper()
	m, err := notify.NewMail(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestMail(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		server *smtpServer
		way    notify.TLS
		user   string
	}{
		"STARTTLS":                {&smtpServer{starttls: true}, notify.StartTLS, ""},
		"as it is by default":     {&smtpServer{starttls: true}, "", ""},
		"STARTTLS, signing in":    {&smtpServer{starttls: true, auth: "PLAIN LOGIN"}, notify.StartTLS, "robot"},
		"implicit TLS":            {&smtpServer{implicit: true}, notify.Implicit, ""},
		"implicit, signing in":    {&smtpServer{implicit: true, auth: "PLAIN"}, notify.Implicit, "robot"},
		"in the clear, to itself": {&smtpServer{}, notify.NoTLS, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serveSMTP(t, tt.server)
			o := options(server, tt.way)
			if tt.user != "" {
				o.User, o.Password = tt.user, "tr0ub4dor"
			}
			e := escalation()
			if err := sender(t, o).Notify(t.Context(), e); err != nil {
				t.Fatal(err)
			}
			mails, commands := server.received()
			if len(mails) != 1 {
				t.Fatalf("%d mails, want 1: %q", len(mails), commands)
			}
			checkMail(t, mails[0], e)
			signedIn := slices.ContainsFunc(commands, func(c string) bool {
				return c == "AUTH PLAIN "+base64.StdEncoding.EncodeToString([]byte("\x00robot\x00tr0ub4dor"))
			})
			if signedIn != (tt.user != "") {
				t.Errorf("signed in: %v; %q", signedIn, commands)
			}
			for _, to := range []string{"RCPT TO:<lead@shop.example>", "RCPT TO:<night@shop.example>"} {
				if !slices.Contains(commands, to) {
					t.Errorf("no %q in %q", to, commands)
				}
			}
		})
	}
}

// checkMail reads a mail as a mail program would.
func checkMail(t *testing.T, text string, e intent.Escalation) {
	t.Helper()
	got, err := mail.ReadMessage(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	headers := map[string]string{}
	for _, name := range []string{"Subject", "Message-Id", "Auto-Submitted", "Date", "User-Agent"} {
		headers[name], err = new(mime.WordDecoder).DecodeHeader(got.Header.Get(name))
		if err != nil {
			t.Error(err)
		}
	}
	want := map[string]string{
		"Subject":        "[Counterfoil] A person is needed: ticket T-4127",
		"Message-Id":     "<" + e.Key.String() + "@shop.example>",
		"Auto-Submitted": "auto-generated",
		"Date":           "Tue, 17 Mar 2026 14:32:07 +0000",
		"User-Agent":     "",
	}
	if diff := cmp.Diff(want, headers); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
	if kind := got.Header.Get("Content-Type"); kind != "text/plain; charset=UTF-8" {
		t.Errorf("type %s", kind)
	}
	body, err := io.ReadAll(quotedprintable.NewReader(got.Body))
	if err != nil {
		t.Fatal(err)
	}
	const wantBody = `It is not known whether the refund of 118.00 USD happened. Søk i bøkene.

Ticket:  T-4127
Why:     technical_problem (unknown)
Since:   17 March 2026, 14:31 UTC

For the whole story, on the machine that sent this:

    counterfoil ledger show INTENT

Should this mail come twice, it is about one and the same thing:
KEY
`
	words := strings.NewReplacer("INTENT", e.Subject.String(), "KEY", e.Key.String()).Replace(wantBody)
	if diff := cmp.Diff(words, strings.ReplaceAll(string(body), "\r\n", "\n")); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

// A ticket's name may be what a model wrote: it adds no header and no recipient.
func TestMailTakesNoHeaderFromATicket(t *testing.T) {
	t.Parallel()
	server := serveSMTP(t, &smtpServer{})
	e := escalation()
	e.Ticket = "T-1\r\nBcc: thief@example.com\r\n\r\nx" + strings.Repeat("y", 300)
	e.Summary = "One line.\r\n.\r\nMAIL FROM:<thief@example.com>"
	if err := sender(t, options(server, notify.NoTLS)).Notify(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	mails, commands := server.received()
	if len(mails) != 1 {
		t.Fatalf("%d mails, want 1", len(mails))
	}
	got, err := mail.ReadMessage(strings.NewReader(mails[0]))
	if err != nil {
		t.Fatal(err)
	}
	if got.Header.Get("Bcc") != "" || len(got.Header.Get("Subject")) > 110 || strings.Contains(strings.Join(commands, "\n"), "thief") {
		t.Errorf("header %v; %q", got.Header, commands)
	}
}

func TestMailThatDoesNotArrive(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		server *smtpServer
		way    notify.TLS
		user   string
		says   string
	}{
		"no TLS where it is insisted on":   {&smtpServer{}, notify.StartTLS, "", "STARTTLS"},
		"no way to sign in":                {&smtpServer{starttls: true}, notify.StartTLS, "robot", "AUTH"},
		"signing in is refused":            {&smtpServer{starttls: true, auth: "PLAIN", replies: map[string]string{"AUTH": "535 no"}}, notify.StartTLS, "robot", "535"},
		"a recipient is refused":           {&smtpServer{replies: map[string]string{"RCPT": "550 nobody here"}}, notify.NoTLS, "", "nobody here"},
		"the mail is refused":              {&smtpServer{replies: map[string]string{"DATA": "451 later"}}, notify.NoTLS, "", "later"},
		"the server does not say anything": {&smtpServer{replies: map[string]string{"EHLO": ""}}, notify.NoTLS, "", "mail:"},
		"the server stops in the middle":   {&smtpServer{replies: map[string]string{"MAIL": ""}}, notify.NoTLS, "", "mail:"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options(serveSMTP(t, tt.server), tt.way)
			if tt.user != "" {
				o.User, o.Password = tt.user, "private"
			}
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			refuses(t, sender(t, o).Notify(ctx, escalation()), tt.says)
			if mails, _ := tt.server.received(); len(mails) != 0 {
				t.Errorf("%d mails, want none", len(mails))
			}
		})
	}
}

// A foreign certificate is not believed.
func TestMailServerThatIsAnother(t *testing.T) {
	t.Parallel()
	server := serveSMTP(t, &smtpServer{starttls: true, auth: "PLAIN"})
	o := options(server, notify.StartTLS)
	o.User, o.Password, o.TLSConfig = "robot", "private", nil
	refuses(t, sender(t, o).Notify(t.Context(), escalation()), "certificate")
	if _, commands := server.received(); slices.ContainsFunc(commands, func(c string) bool { return strings.HasPrefix(c, "AUTH") }) {
		t.Errorf("signed in at a stranger's: %q", commands)
	}
}

// What the server has taken has arrived, whatever it says afterwards.
func TestMailThatArrivedBeforeTheTrouble(t *testing.T) {
	t.Parallel()
	server := serveSMTP(t, &smtpServer{replies: map[string]string{"RSET": "421 leaving", "QUIT": "421 gone"}})
	if err := sender(t, options(server, notify.NoTLS)).Notify(t.Context(), escalation()); err != nil {
		t.Error(err)
	}
}

func TestMailRefused(t *testing.T) {
	t.Parallel()
	right := notify.MailOptions{Host: "mail.shop.example", From: "a@shop.example", To: []string{"b@shop.example"}, Now: clock}
	tests := map[string]struct {
		change func(o *notify.MailOptions)
		says   string
	}{
		"nothing":           {func(*notify.MailOptions) {}, ""},
		"no host":           {func(o *notify.MailOptions) { o.Host = "" }, "host"},
		"no sender":         {func(o *notify.MailOptions) { o.From = "" }, "address"},
		"no recipient":      {func(o *notify.MailOptions) { o.To = nil }, "to is empty"},
		"a bad recipient":   {func(o *notify.MailOptions) { o.To = []string{"b"} }, "address"},
		"another TLS":       {func(o *notify.MailOptions) { o.TLS = "maybe" }, "tls must be"},
		"in the clear":      {func(o *notify.MailOptions) { o.TLS = notify.NoTLS }, "on this machine only"},
		"in the clear here": {func(o *notify.MailOptions) { o.TLS, o.Host = notify.NoTLS, "localhost" }, ""},
		"only a password":   {func(o *notify.MailOptions) { o.Password = "private" }, "no user"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := right
			tt.change(&o)
			_, err := notify.NewMail(o)
			refuses(t, err, tt.says)
		})
	}
}
