package sandbox_test

import (
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite"
)

func (m *market) search(query string) reply {
	m.t.Helper()
	return m.get("/v1/procedures?query=" + url.QueryEscape(query))
}

func (m *market) found(query string) []string {
	m.t.Helper()
	ids := []string{}
	for _, p := range m.search(query).data(m.t) {
		ids = append(ids, p["id"].(string))
	}
	return ids
}

func TestProceduresByRelevance(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "")
	tests := []struct{ query, first string }{
		{"damage", "PR-DAMAGED"},
		{"damaged item", "PR-DAMAGED"},
		{"damage in transit", "PR-DAMAGED"},
		{"shelf arrived cracked", "PR-DAMAGED"},
		{"The brass lamp ARRIVED BROKEN!", "PR-DAMAGED"},
		{"lost parcel", "PR-LOST"},
		{"lost", "PR-LOST"},
		{"late", "PR-LATE"},
		{"wrong", "PR-WRONG"},
		{"missing", "PR-MISSING"},
		{"pickup", "PR-PICKUP"},
		{"tracking stopped, parcel never came", "PR-LOST"},
		{"late deliveries", "PR-LATE"},
		{"wrong item", "PR-WRONG"},
		{"sent me the wrong colour", "PR-WRONG"},
		{"missing parts", "PR-MISSING"},
		{"two screws are missing", "PR-MISSING"},
		{"seller unresponsive", "PR-SILENT"},
		{"seller does not answer", "PR-SILENT"},
		{"buyer changed their mind", "PR-CHANGED"},
		{"returning an unused item", "PR-CHANGED"},
		{"replacement instead of refund", "PR-REPLACE"},
		{"pickup of a damaged item", "PR-PICKUP"},
		{"book a courier pickup", "PR-PICKUP"},
		{"partial refund for two units", "PR-UNITS"},
		{"refund above the ceiling", "PR-CEILING"},
		{"approval", "PR-CEILING"},
		{"safety hazard", "PR-SAFETY"},
		{"the kettle gave me an electric shock", "PR-SAFETY"},
		{"duplicate charge", "PR-CHARGED"},
		{"charged twice", "PR-CHARGED"},
		{"duplicated charges", "PR-CHARGED"},
		{"address change", "PR-ADDRESS"},
		{"where is my refund", "PR-WHERE"},
		{"outcome unknown", "PR-UNKNOWN"},
		{"the refund timed out", "PR-UNKNOWN"},
	}
	for _, tt := range tests {
		if got := m.found(tt.query); len(got) == 0 || got[0] != tt.first {
			t.Errorf("%q finds %v, want %s first", tt.query, got, tt.first)
		}
	}
}

// Any text is a query, and never a fault of the server's.
func TestProceduresTakeAnyText(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "")
	tests := map[string]struct {
		query string
		want  string // "" for an answer that finds the procedure for lost parcels
	}{
		"a quote":                {query: `lost "parcel`},
		"two quotes":             {query: `""lost"" ""`},
		"operators":              {query: "lost AND NOT OR parcel NOT"},
		"NEAR":                   {query: "NEAR(lost parcel, 2) NEAR("},
		"asterisks":              {query: "* lost* ^lost parcel*"},
		"a column":               {query: "title:lost -text : {id title} : parcel"},
		"brackets":               {query: "((lost (parcel) + )"},
		"SQL":                    {query: `lost'; DROP TABLE procedures; --`},
		"emoji":                  {query: "📦 lost parcel 😡"},
		"control characters":     {query: "lost\x00parcel\x1b\r\n\tfound"},
		"no UTF-8":               {query: "lost \xff\xfe parcel"},
		"accents":                {query: "löst pärcel"},
		"marks of their own":     {query: "lost parcel \u0301 \u0301\u0301"},
		"500 characters":         {query: strings.Repeat("lost parcel ", 41) + "tracking"},
		"200 different words":    {query: "lost parcel " + numbers(198)},
		"9000 different words":   {query: "lost parcel " + numbers(9000)},
		"letters of no alphabet": {query: "lost parcel 𞤀𞤁 ꟃ"},
		"nothing known":          {query: "submarine xylophone", want: "200  none"},
		"another script":         {query: "失われた荷物", want: "200  none"},
		"words of no weight":     {query: "what is it with the and of?", want: "200  none"},
		"no query":               {want: "400 invalid_request"},
		"blank":                  {query: " \t\n", want: "400 invalid_request"},
		"signs only":             {query: `"*^:()-+{}`, want: "400 invalid_request"},
		"emoji only":             {query: "😡😡", want: "400 invalid_request"},
		"a mark only":            {query: "\u0301", want: "400 invalid_request"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := m.search(tt.query)
			got := summary(r)
			if r.status == 200 && len(r.data(t)) == 0 {
				got += " none"
			}
			switch {
			case tt.want == "" && (got != "200 " || !strings.Contains(r.raw, `"id":"PR-LOST"`)):
				t.Errorf("%.60q: %.200s, want the one for lost parcels among them", tt.query, r.raw)
			case tt.want != "" && got != tt.want:
				t.Errorf("%.60q: %s, want %s", tt.query, got, tt.want)
			}
		})
	}
}

// numbers are n words that no procedure has.
func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "x%d ", i)
	}
	return b.String()
}

func TestProceduresLimit(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "")
	all := m.found("buyer refund")
	r := m.get("/v1/procedures?query=buyer+refund&limit=2")
	if got := len(r.data(t)); got != 2 || !r.more() {
		t.Errorf("%d procedures, more %v; want 2 of %d", got, r.more(), len(all))
	}
	if got := r.data(t)[0]["id"]; got != all[0] {
		t.Errorf("the first of two is %v, that of all %s", got, all[0])
	}
	if got := m.search("duplicate charge"); got.more() {
		t.Errorf("has_more without a limit: %s", got.raw)
	}
	for _, limit := range []string{"0", "101", "ten", ""} {
		if got := summary(m.get("/v1/procedures?query=refund&limit=" + limit)); got != "400 invalid_request" {
			t.Errorf("limit %q: %s, want 400 invalid_request", limit, got)
		}
	}
	if got := summary(m.post("/v1/procedures", "", "{}")); got != "405 method_not_allowed" {
		t.Errorf("POST: %s, want 405 method_not_allowed", got)
	}
}

// Each is short enough to be followed, and says what to do and when to stop.
func TestProceduresAreReadable(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "")
	seen := map[string]bool{}
	for _, p := range m.search("buyer seller ticket").data(t) {
		id, title, text := p["id"].(string), p["title"].(string), p["text"].(string)
		if !strings.HasPrefix(id, "PR-") || seen[id] || title == "" {
			t.Errorf("id %q, title %q", id, title)
		}
		seen[id] = true
		if got := strings.Count(text, ". ") + 1; got < 4 || got > 8 || !strings.HasSuffix(text, ".") {
			t.Errorf("%s has %d sentences, want 4 to 8: %s", id, got, text)
		}
	}
	if len(seen) != 16 {
		t.Errorf("%d procedures, want 16", len(seen))
	}
}

// A file of the schema before there were procedures gets them, and loses
// nothing; a reset brings each once.
func TestProceduresInAnOlderFile(t *testing.T) {
	t.Parallel()
	c, path := newClock(), seeded(t)
	var account string
	t.Run("older", func(t *testing.T) {
		m := openMarket(t, path, c, "")
		acts()[0].do(m, "key-1")
		account = m.get("/v1/account").text("account")
	})
	withoutProcedures(t, path)

	m := openMarket(t, path, c, "")
	if got := m.get("/v1/account").text("account"); got != account {
		t.Errorf("account %s, was %s", got, account)
	}
	if got := acts()[0].count(m); got != 1 {
		t.Errorf("%d refunds, want the 1 from before", got)
	}
	want := newMarket(t, "").search("damaged parcel").raw
	if diff := cmp.Diff(want, m.search("damaged parcel").raw); diff != "" {
		t.Errorf("procedures of an older file, -new +older:\n%s", diff)
	}
	if err := m.box.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, m.search("damaged parcel").raw); diff != "" {
		t.Errorf("procedures after a reset, -before +after:\n%s", diff)
	}
}

// withoutProcedures takes a file back to the first version of its schema.
func withoutProcedures(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `DROP TABLE procedures; PRAGMA user_version = 1`); err != nil {
		t.Fatal(err)
	}
}
