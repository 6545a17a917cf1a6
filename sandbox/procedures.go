package sandbox

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"unicode"
)

// proceduresList is the operation of the search. It is none of [Operations]: no
// fault can be set on it.
const proceduresList = "procedures.list"

type foundProcedure struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

type foundProcedures struct {
	Data    []foundProcedure `json:"data"`
	HasMore bool             `json:"has_more"` // more match, less well
}

// search is GET /v1/procedures: those that share a word with the query, the
// most relevant first. Any text is a query; one without a letter or a digit is
// malformed.
func (s *Sandbox) search(ctx context.Context, tx *sql.Tx, q query) (any, error) {
	words := wordsOf(q.params.Get("query"))
	if len(words) == 0 {
		return nil, malformed("query must have a word in it")
	}
	limit, err := limitOf(q)
	if err != nil {
		return nil, err
	}
	found, err := matchProcedures(ctx, tx, anyOf(words), limit+1)
	if err != nil {
		return nil, err
	}
	shown := min(limit, len(found))
	return foundProcedures{Data: found[:shown], HasMore: len(found) > shown}, nil
}

// matchProcedures ranks by bm25, which is smaller where a match is better. A
// word in the title counts as much as four in the text.
func matchProcedures(ctx context.Context, tx *sql.Tx, match string, limit int) ([]foundProcedure, error) {
	found := []foundProcedure{}
	if match == "" {
		return found, nil
	}
	rows, err := tx.QueryContext(ctx, `SELECT id, title, text FROM procedures WHERE procedures MATCH ?
		ORDER BY bm25(procedures, 0, 4, 1), rowid LIMIT ?`, match, limit)
	if err != nil {
		return nil, fmt.Errorf("search procedures: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var p foundProcedure
		if err := rows.Scan(&p.ID, &p.Title, &p.Text); err != nil {
			return nil, fmt.Errorf("search procedures: %w", err)
		}
		found = append(found, p)
	}
	return found, rows.Err()
}

// mostWords bounds what one search looks for; what comes after them in a query
// is not looked for.
const mostWords = 200

// wordsOf are the words of a text in lower case, each once. They consist of
// letters, digits and marks, and so of nothing that has a meaning to FTS5
// between quotation marks.
func wordsOf(text string) []string {
	var words []string
	seen := map[string]bool{}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.N, unicode.M)
	}) {
		word = strings.ToLower(word)
		if seen[word] || !strings.ContainsFunc(word, func(r rune) bool { return unicode.In(r, unicode.L, unicode.N) }) {
			continue
		}
		seen[word] = true
		words = append(words, word)
	}
	return words
}

// anyOf is the FTS5 expression that any of the words satisfies; "" where all of
// them say nothing of what is looked for.
func anyOf(words []string) string {
	var quoted []string
	for _, word := range words {
		if !idle[word] && len(quoted) < mostWords {
			quoted = append(quoted, `"`+word+`"`)
		}
	}
	return strings.Join(quoted, " OR ")
}

// idle are English words that are in any text, whatever it is about: a match by
// one of them alone is none.
var idle = func() map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(`
		a about all also am an and any are as at be been but by can could d did do does doesn don for from get got
		had has have he her him his how i if in into is isn it its just ll m may me might must my no not of on or our
		please s she should so some t than that the their them then there they this to too up us ve very was we were
		what when which who why will with would you your`) {
		words[word] = true
	}
	return words
}()
