package notify

import (
	"strings"

	"github.com/wneessen/go-mail"

	"counterfoil/intent"
)

// longestTicket is how much of a ticket's name a subject takes: where nothing
// could be read it is what a model wrote.
const longestTicket = 60

// message puts an escalation into a mail. Its Message-ID comes from the
// escalation's key, by which mail programs drop a repeat.
func (m *Mail) message(e intent.Escalation) (*mail.Msg, error) {
	msg := mail.NewMsg(mail.WithNoDefaultUserAgent())
	if err := msg.From(m.o.From); err != nil {
		return nil, err
	}
	if err := msg.To(m.o.To...); err != nil {
		return nil, err
	}
	sender, err := msg.GetSender(false)
	if err != nil {
		return nil, err
	}
	domain := strings.Trim(sender[strings.LastIndex(sender, "@"):], "<>")
	msg.SetMessageIDWithValue(e.Key.String() + domain)
	msg.SetDateWithValue(m.o.Now())
	msg.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: no holiday notes back
	msg.Subject(subjectOf(e))
	msg.SetBodyString(mail.TypeTextPlain, textOf(e))
	return msg, nil
}

func subjectOf(e intent.Escalation) string {
	ticket := []rune(strings.Join(strings.Fields(e.Ticket), " "))
	return "[Counterfoil] A person is needed: ticket " + string(ticket[:min(len(ticket), longestTicket)])
}

// textOf is what a tired person reads: what is the matter and what to do, then
// the rest.
func textOf(e intent.Escalation) string {
	return e.Summary + "\n\n" +
		"Ticket:  " + e.Ticket + "\n" +
		"Why:     " + e.Reason + " (" + string(e.Cause) + ")\n" +
		"Since:   " + e.CreatedAt.UTC().Format("2 January 2006, 15:04 UTC") + "\n\n" +
		"For the whole story, on the machine that sent this:\n\n" +
		"    counterfoil ledger show " + e.Subject.String() + "\n\n" +
		"Should this mail come twice, it is about one and the same thing:\n" +
		e.Key.String() + "\n"
}
