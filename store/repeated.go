package store

import "strings"

// repeated is a statement of which a part is there once for each of a number of
// things.
type repeated struct {
	before, part, between, after string
	usual                        [8]string // for so many
}

func repeat(before, part, between, after string) *repeated {
	q := &repeated{before: before, part: part, between: between, after: after}
	for n := range q.usual {
		q.usual[n] = q.made(n)
	}
	return q
}

// of is the statement for n things, at least one.
func (q *repeated) of(n int) string {
	if n < len(q.usual) {
		return q.usual[n]
	}
	return q.made(n)
}

func (q *repeated) made(n int) string {
	return q.before + strings.Repeat(q.part+q.between, max(n-1, 0)) + q.part + q.after
}

var (
	queryStands = repeat("", "SELECT ?, currency, changed, last FROM resources WHERE kind = ? AND name = ?", " UNION ALL ", "")

	queryMarked = repeat("INSERT INTO resources (kind, name, currency, changed, open, spent, last) VALUES ", "(?, ?, ?, ?, ?, ?, ?)", ", ",
		" ON CONFLICT DO UPDATE SET changed = excluded.changed, open = open + excluded.open, spent = spent + excluded.spent,"+
			" last = max(last, excluded.last)")
)
