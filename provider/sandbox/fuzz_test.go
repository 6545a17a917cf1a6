package sandbox_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"counterfoil/intent"
	"counterfoil/provider"
	adapter "counterfoil/provider/sandbox"
)

// FuzzAnswers: no body makes an ambiguous answer read as performed, or a list
// that was not understood, or that shows our key, read as an absence. What is
// believed is one JSON object that says each of our facts once.
func FuzzAnswers(f *testing.F) {
	for _, k := range fuzzed {
		for _, body := range k.seeds() {
			f.Add(k.n, uint16(http.StatusOK), []byte(body))
		}
		for _, status := range []uint16{201, 202, 404, 409, 422, 429, 500} {
			f.Add(k.n, status, []byte(k.seeds()[0]))
			f.Add(k.n, status, []byte(`{"error":{"code":"refused_permanently","message":"m"}}`))
			f.Add(k.n, status, []byte(`{"error":{"code":"other","code":"try_later","message":"m"}}`))
		}
	}
	m, given := answering(f)
	f.Fuzz(func(t *testing.T, n byte, status uint16, body []byte) {
		if status < 200 || status > 599 {
			t.Skip("no status of a final answer")
		}
		k := fuzzed[int(n)%len(fuzzed)]
		a, ours := k.act(t, m), key("ours")
		given.Store(&raw{status: int(status), body: string(body)})
		k.checkAnswer(t, a.send(ours, orderKey), int(status), body)
		k.checkFinding(t, a.lookup(ours), int(status), body)
	})
}

// fuzzedKind is a kind of write, with what an object of the marketplace's must
// say before it is believed to be ours.
type fuzzedKind struct {
	n      byte
	act    func(*testing.T, *provider.Marketplace) act
	facts  map[string]string // members and their JSON
	also   map[string]string // members that are no facts
	units  bool              // units: [1], or left out
	prefix string
	status []string
	at     string
}

var fuzzed = []fuzzedKind{
	{
		n: 0, act: func(t *testing.T, m *provider.Marketplace) act { return actOf(t, m.Refunds, aRefund) },
		facts: map[string]string{
			"order_id": `"SU-88421"`, "item_id": `"SHELF-OAK-4"`, "ticket_id": `"T-4127"`, "cents": "11800", "currency": `"USD"`,
		},
		units: true, prefix: "re_", status: []string{"succeeded", "pending", "failed"}, at: "created_at",
	},
	{
		n: 1, act: func(t *testing.T, m *provider.Marketplace) act {
			return actOf(t, m.Messages, provider.Message{TicketID: "T-4127", To: "S-ASHCOMBE", Text: "cracked"})
		},
		facts: map[string]string{"to": `"S-ASHCOMBE"`, "ticket_id": `"T-4127"`, "text": `"cracked"`}, prefix: "msg_", status: []string{"sent"}, at: "created_at",
	},
	{
		n: 2, act: func(t *testing.T, m *provider.Marketplace) act { return actOf(t, m.Pickups, aPickup) },
		facts:  map[string]string{"order_id": `"SU-88421"`, "ticket_id": `"T-4127"`, "date": `"2026-03-20"`},
		prefix: "BK-", status: []string{"booked", "cancelled"}, at: "created_at",
	},
	{
		n: 3, act: func(t *testing.T, m *provider.Marketplace) act {
			return actOf(t, m.Cancellations, provider.Cancellation{TicketID: "T-4127", OrderID: "SU-88421", BookingID: "BK-1"})
		},
		facts:  map[string]string{"id": `"BK-1"`, "order_id": `"SU-88421"`, "cancel_ticket_id": `"T-4127"`},
		also:   map[string]string{"created_at": `"2026-03-17T14:00:00Z"`, "intent": `"` + key("booked").String() + `"`},
		prefix: "BK-", status: []string{"cancelled"}, at: "cancelled_at",
	},
	{
		n: 4, act: func(t *testing.T, m *provider.Marketplace) act {
			return actOf(t, m.Replacements, provider.Replacement{TicketID: "T-4127", OrderID: "SU-88421", ItemID: "SHELF-OAK-4", Units: []int{1}})
		},
		facts: map[string]string{"order_id": `"SU-88421"`, "item_id": `"SHELF-OAK-4"`, "ticket_id": `"T-4127"`},
		units: true, prefix: "RP-", status: []string{"ordered"}, at: "created_at",
	},
	{
		n: 5, act: func(t *testing.T, m *provider.Marketplace) act { return actOf(t, m.Desk, aHandoff) },
		facts: map[string]string{"ticket_id": `"T-4127"`, "reason": `"unclear_facts"`}, prefix: "esc_", status: []string{"open", "closed"}, at: "created_at",
	},
}

// bears is the member that bears the intent's key.
func (k fuzzedKind) bears() string {
	if k.at == "cancelled_at" {
		return "cancel_intent"
	}
	return "intent"
}

// whole is an object that is to be believed.
func (k fuzzedKind) whole() map[string]string {
	o := map[string]string{
		"id": `"` + k.prefix + `1"`, "status": `"` + k.status[0] + `"`, k.at: `"2026-03-17T14:32:08.123Z"`, k.bears(): `"` + key("ours").String() + `"`,
	}
	maps.Copy(o, k.facts)
	maps.Copy(o, k.also)
	if k.units {
		o["units"] = "[1]"
	}
	return o
}

func written(o map[string]string, more ...string) string {
	var members []string
	for _, name := range slices.Sorted(maps.Keys(o)) {
		members = append(members, fmt.Sprintf("%q:%s", name, o[name]))
	}
	return "{" + strings.Join(append(members, more...), ",") + "}"
}

// seeds are the object, its list, one member of it amiss, and the same said twice.
func (k fuzzedKind) seeds() []string {
	whole := k.whole()
	other := `"` + key("other").String() + `"`
	all := []string{
		written(whole), `{"data":[` + written(whole) + `],"has_more":false}`, `{"data":[],"has_more":false}`, `{"data":[],"has_more":true}`,
		written(whole, fmt.Sprintf("%q:%s", k.bears(), other)), written(whole, fmt.Sprintf("%q:%s", strings.ToUpper(k.bears()), other)),
		`{"data":[` + written(whole) + `],"Data":[],"has_more":false}`,
	}
	for name := range whole {
		missing := maps.Clone(whole)
		delete(missing, name)
		all = append(all, written(missing), written(missing, fmt.Sprintf("%q:%s", strings.ToUpper(name), whole[name])))
		missing[name] = `"another"`
		all = append(all, written(missing), written(missing, fmt.Sprintf("%q:%s", strings.ToUpper(name), whole[name])))
	}
	return all
}

func (k fuzzedKind) checkAnswer(t *testing.T, answer intent.Answer, status int, body []byte) {
	t.Helper()
	switch answer := answer.(type) {
	case intent.AnsweredPerformed:
		if o, once := members(body); !once || status > 201 || !k.isOurs(o) {
			t.Errorf("performed, by %d %q", status, body)
		}
	case intent.AnsweredRefused:
		o, once := members(body)
		failure, nested := members(o["error"])
		if !once || !nested || status < 400 || status >= 500 || string(failure["code"]) != `"`+answer.Code+`"` {
			t.Errorf("refused, by %d %q", status, body)
		}
	case intent.AnsweredAmbiguous:
	case intent.AnsweredNotSent:
		t.Errorf("not sent, and answered %d %q", status, body)
	}
}

func (k fuzzedKind) checkFinding(t *testing.T, finding intent.Finding, status int, body []byte) {
	t.Helper()
	list, once := members(body)
	var lines []json.RawMessage
	understood := once && status == 200 && json.Unmarshal(list["data"], &lines) == nil && string(list["has_more"]) == "false"
	var bearing, ours int
	for _, line := range lines {
		o, once := members(line)
		understood = understood && once
		if string(o[k.bears()]) == `"`+key("ours").String()+`"` {
			bearing++
			if k.isOurs(o) {
				ours++
			}
		}
	}
	switch finding.(type) {
	case intent.Found:
		if !understood || ours == 0 {
			t.Errorf("found, by %d %q", status, body)
		}
	case intent.Absent:
		if !understood || bearing > 0 {
			t.Errorf("absent, by %d %q", status, body)
		}
	case intent.FoundOther, intent.LookupFailed, intent.LookupUnsupported:
	}
}

// isOurs is what must be in an object, said without the adapter's words.
func (k fuzzedKind) isOurs(o map[string]json.RawMessage) bool {
	for name, want := range k.facts {
		if name == "text" || name == "reason" || name == "date" {
			if text(o[name]) != text([]byte(want)) {
				return false
			}
			continue
		}
		if !strings.EqualFold(strings.TrimPrefix(strings.TrimSpace(text(o[name])), "#"), text([]byte(want))) {
			return false
		}
	}
	if units, said := o["units"]; k.units && said && !slices.Contains([]string{"[1]", "[]", "null"}, strings.Join(strings.Fields(string(units)), "")) {
		return false
	}
	_, err := time.Parse(time.RFC3339, text(o[k.at]))
	return err == nil && text(o[k.bears()]) == key("ours").String() &&
		slices.Contains(k.status, text(o["status"])) && strings.HasPrefix(text(o["id"]), k.prefix) && len(text(o["id"])) > len(k.prefix)
}

// text is a string as it reads, white space folded; another value as it is
// written.
func text(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) == nil {
		return strings.Join(strings.Fields(s), " ")
	}
	return string(value)
}

// members are those of one JSON object in which no name, in whatever case, comes
// twice.
func members(body []byte) (o map[string]json.RawMessage, once bool) {
	if !utf8.Valid(body) || !json.Valid(body) {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(body))
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return nil, false
	}
	o = map[string]json.RawMessage{}
	for d.More() {
		token, err := d.Token()
		name, _ := token.(string)
		for seen := range o {
			if err != nil || strings.EqualFold(seen, name) {
				return nil, false
			}
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, false
		}
		o[name] = value
	}
	return o, true
}

// answering is a marketplace in memory that gives the answer that is put into
// given.
func answering(f *testing.F) (*provider.Marketplace, *atomic.Pointer[raw]) {
	f.Helper()
	given := new(atomic.Pointer[raw])
	var kinds []string
	for _, kind := range []string{"refunds", "messages", "pickups", "replacements", "escalations"} {
		kinds = append(kinds, `"`+kind+`":{"dedupe":"24h","lookup":"read_after_write","lands_within":"30s","errors_stored":true}`)
	}
	given.Store(&raw{status: 200, body: `{"account":"sandbox-00","environment":"sandbox","capabilities":{` + strings.Join(kinds, ",") + `}}`})
	dial := func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go answerAll(theirs, given)
		return ours, nil
	}
	c := provider.NewClient(time.Now, provider.Options{Dial: dial})
	f.Cleanup(c.Close)
	m, err := adapter.Connect(f.Context(), adapter.Options{BaseURL: "http://marketplace.test", HTTP: c})
	if err != nil {
		f.Fatal(err)
	}
	return m, given
}

func answerAll(conn net.Conn, given *atomic.Pointer[raw]) {
	defer conn.Close()
	requests := bufio.NewReader(conn)
	for {
		r, err := http.ReadRequest(requests)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return
		}
		a := given.Load()
		fmt.Fprintf(conn, "HTTP/1.1 %d x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", a.status, len(a.body), a.body)
	}
}
