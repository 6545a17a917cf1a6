package store_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"counterfoil/intent"
	"counterfoil/intent/ledgertest"
	"counterfoil/store"
)

// secretWords stand in every text that is to go.
var secretWords = "MARGUERITE-OF-TICKET-4127"

var erasing = intent.Decision{Verb: intent.VerbErase, Who: "ines", Note: "she asked", Secret: true, At: now}

// texts are a settled ticket, full of texts.
func texts(t *testing.T, l *store.Ledger, n int) (row intent.Row, ticket intent.Resource) {
	t.Helper()
	c := claim(n)
	long := bytes.Repeat([]byte("long "+secretWords+" "), 2000) // over several pages
	c.Act = &intent.Act{
		Arguments: intent.Arguments(`{"text":"` + string(long) + `"}`), Payload: long, Request: long,
		Figures: "118.00 USD", Policy: "1",
	}
	commit(t, l, claim(n+100)) // a neighbour in the same pages
	row = commit(t, l, c)
	r := record(row)
	r.Decision = &intent.Decision{Verb: "resolve", Who: "ole", Note: secretWords, At: now}
	r.Escalate = []intent.Escalation{{
		Key: intent.EscalationKey(row.Key, intent.CauseUnknown, 0), Subject: row.Key, Cause: intent.CauseUnknown,
		Ticket: row.Ticket, Reason: "technical_problem", Summary: secretWords, CreatedAt: now,
	}}
	row = commit(t, l, r)
	return row, c.Resources[3]
}

// told delivers what a ticket's people are to be told.
func told(t *testing.T, l *store.Ledger, row intent.Row) {
	t.Helper()
	e, ok, err := l.Escalation(t.Context(), intent.EscalationKey(row.Key, intent.CauseUnknown, 0))
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	e.HandoffID, e.DeliveredAt = "H-1", now
	commit(t, l, intent.Change{Update: &e})
}

func erase(t *testing.T, l *store.Ledger, ticket intent.Resource) store.Erased {
	t.Helper()
	got, err := l.Erase(t.Context(), ticket, erasing)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestErase(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	l := open(t, path)
	row, ticket := texts(t, l, 1)
	told(t, l, row)
	row, _ = find(t, l, row.Key)
	other, _ := texts(t, l, 2)
	want := store.Erased{Intents: 1, Texts: 1, Notes: 1, Summaries: 1}
	if diff := cmp.Diff(want, erase(t, l, ticket)); diff != "" {
		t.Errorf("erased (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(store.Erased{Intents: 1}, erase(t, l, ticket)); diff != "" {
		t.Errorf("erased again (-want +got):\n%s", diff)
	}

	ctx := t.Context()
	if got, _ := find(t, l, row.Key); got != row {
		t.Errorf("the row is %+v, was %+v", got, row)
	}
	if got, ok, err := l.Recognise(ctx, ticket, fingerprint(1)); err != nil || !ok || got.Key != row.Key {
		t.Errorf("a repeat is not recognised: %v, %v", ok, err)
	}
	act, err := l.Act(ctx, row.Key)
	if diff := cmp.Diff(intent.Act{Figures: "118.00 USD", Policy: "1"}, act); err != nil || diff != "" {
		t.Errorf("the act: %v\n%s", err, diff)
	}
	decisions, err := l.Decisions(ctx, row.Key)
	wantDecisions := []intent.Decision{{Verb: "resolve", Who: "ole", At: now}, erasing}
	if diff := cmp.Diff(wantDecisions, decisions); err != nil || diff != "" {
		t.Errorf("decisions: %v\n%s", err, diff)
	}
	e, _, err := l.Escalation(ctx, intent.EscalationKey(row.Key, intent.CauseUnknown, 0))
	if err != nil || e.Summary != "(erased)" || e.HandoffID != "H-1" {
		t.Errorf("escalation %+v, %v", e, err)
	}
	if act, err := l.Act(ctx, other.Key); err != nil || len(act.Payload) == 0 {
		t.Errorf("another ticket's text: %v", err)
	}
	if got, err := l.Erase(ctx, intent.Resource{Kind: "ticket", ID: "T-9"}, erasing); err != nil || got.Intents != 0 {
		t.Errorf("a ticket that is not there: %+v, %v", got, err)
	}
}

// What is erased is nowhere in the files: not in free pages, not in gaps, not
// in the -wal.
func TestErasedTextIsGoneFromTheFiles(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	l := open(t, path)
	var tickets []intent.Resource
	for n := range 8 {
		row, ticket := texts(t, l, n)
		told(t, l, row)
		tickets = append(tickets, ticket)
	}
	beside := open(t, path) // another process has it open, and has read
	if _, err := beside.List(t.Context(), 99); err != nil {
		t.Fatal(err)
	}
	for _, ticket := range tickets {
		if got := erase(t, l, ticket); len(got.Remains) != 0 || got.Texts != 1 {
			t.Errorf("erased %+v", got)
		}
	}
	if info, err := os.Stat(path + "-wal"); err != nil || info.Size() != 0 {
		t.Errorf("the -wal: %v, %v", info, err)
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	if err := l.Backup(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	commit(t, beside, claim(50)) // who has it open goes on
	for _, l := range []*store.Ledger{l, beside} {
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{path, path + "-wal", copied} {
		text, err := os.ReadFile(file) // closed by now
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte(secretWords)) {
			t.Errorf("%s still bears the text", filepath.Base(file))
		}
	}
}

func TestEraseRefusesWhatIsOpen(t *testing.T) {
	t.Parallel()
	l := open(t, newPath(t))
	c := claim(1)
	row := commit(t, l, c)
	ticket := c.Resources[3]
	refused := func(untold bool) {
		t.Helper()
		_, err := l.Erase(t.Context(), ticket, erasing)
		var open *store.OpenError
		if !errors.As(err, &open) || open.Row.Key != row.Key || open.Untold != untold {
			t.Errorf("got error %v", err)
		}
		if act, err := l.Act(t.Context(), row.Key); err != nil || len(act.Payload) == 0 {
			t.Errorf("a refused erasure took the text: %v", err)
		}
	}
	refused(false)
	change := record(row)
	change.Row.State, change.Row.Final, change.Row.WatchUntil = intent.StateNotPerformed, false, now.Add(time.Hour)
	row = commit(t, l, change)
	refused(false)
	settled := row
	settled.WatchUntil = time.Time{}
	row = commit(t, l, intent.Change{Row: &settled, Seen: row.Version, Escalate: []intent.Escalation{{
		Key: intent.EscalationKey(row.Key, intent.CauseUnknown, 0), Subject: row.Key, Cause: intent.CauseUnknown, Summary: "it",
	}}})
	refused(true)
	told(t, l, row)
	erase(t, l, ticket)
}

func TestEraseSaysWhatRemains(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	l := open(t, path)
	row, ticket := texts(t, l, 1)
	told(t, l, row)
	if err := os.WriteFile(path+".spill.bad", []byte("a line"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := erase(t, l, ticket); len(got.Remains) != 1 {
		t.Errorf("remains %q", got.Remains)
	}
	o := options(path)
	o.ReadOnly = true
	reading, err := store.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer reading.Close()
	if _, err := reading.Erase(t.Context(), ticket, erasing); !errors.Is(err, intent.ErrReadOnly) {
		t.Errorf("read-only: got error %v", err)
	}
}

// What was decided and told is changed by nothing but an erasure.
func TestErasureIsTheOnlyChange(t *testing.T) {
	t.Parallel()
	l := open(t, newPath(t))
	row, _ := texts(t, l, 1)
	erasure := "UPDATE escalations SET summary = '(erased)'"
	refuse := func(statements ...string) {
		t.Helper()
		for _, statement := range statements {
			if err := l.WriteSQL(statement); err == nil {
				t.Errorf("%s: want an error", statement)
			}
		}
	}
	refuse(erasure) // while nobody has been told
	told(t, l, row)
	refuse(
		"UPDATE decisions SET note = 'x'", "UPDATE decisions SET note = '', who = 'x'", "UPDATE decisions SET note = '', at = 1",
		"UPDATE decisions SET note = '', secret = 1", "UPDATE escalations SET summary = 'x'",
		"UPDATE escalations SET summary = '(erased)', ticket = 'x'", "UPDATE escalations SET subject = NULL",
	)
	if err := l.WriteSQL(erasure); err != nil {
		t.Error(err)
	}
}

func TestErasedLedgerIsALedger(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	l := open(t, path)
	row, ticket := texts(t, l, 1)
	told(t, l, row)
	row, _ = find(t, l, row.Key)
	erase(t, l, ticket)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, path)
	if got, _ := find(t, again, row.Key); got != row || again.Account() != ledgertest.Account {
		t.Errorf("the row is %+v", got)
	}
	commit(t, again, claim(3))
}
