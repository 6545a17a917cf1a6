package store

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"counterfoil/intent"
	"counterfoil/store/sqlite3"
)

const (
	// The other columns of an aggregate with min are those of the least row.
	queryStandings = "SELECT state, count(*), min(created_at), key FROM intents WHERE open = 1 GROUP BY state ORDER BY state"
	queryNewest    = "SELECT max(max(ifnull(updated_at, 0), ifnull(created_at, 0))) FROM intents"
	queryUntold    = "SELECT count(*), count(notified_at), min(created_at), ifnull(max(tries), 0) FROM escalations WHERE delivered_at IS NULL"
)

// contentsNow reads, in a few short statements, what somebody may have to see to.
func (l *Ledger) contentsNow(ctx context.Context) (c Contents, err error) {
	err = l.through(ctx, "standings", queryStandings, nil, func(r *sqlite3.Row) (bool, error) {
		var s Standing
		if err := r.Scan((*string)(&s.State), &s.Count, (*instant)(&s.Since), (*keyBlob)(&s.Oldest)); err != nil {
			return false, err
		}
		c.Open = append(c.Open, s)
		return true, nil
	})
	if err != nil {
		return Contents{}, err
	}
	newest := func(r *sqlite3.Row) (bool, error) { return false, r.Scan((*instant)(&c.Newest)) }
	if err := l.through(ctx, "newest", queryNewest, nil, newest); err != nil {
		return Contents{}, err
	}
	u := &c.Outbox
	untold := func(r *sqlite3.Row) (bool, error) {
		return false, r.Scan(&u.Count, &u.Notified, (*instant)(&u.Since), &u.Tries)
	}
	if err := l.through(ctx, "untold", queryUntold, nil, untold); err != nil {
		return Contents{}, err
	}
	orphans, err := l.Orphans(ctx, int(^uint(0)>>1))
	if err != nil {
		return Contents{}, err
	}
	c.Orphans = standingOf(orphans)
	return c, nil
}

func standingOf(rows []intent.Row) (s Standing) {
	for _, row := range rows {
		if s.Count == 0 || row.CreatedAt.Before(s.Since) {
			s.State, s.Since, s.Oldest = row.State, row.CreatedAt, row.Key
		}
		s.Count++
	}
	return s
}

// damageIn reads the whole file, and where its pages are in order, what they say.
// At most so many findings are brought.
func (l *Ledger) damageIn(ctx context.Context) (found []string, err error) {
	const most = 20
	check := "PRAGMA integrity_check(" + strconv.Itoa(most) + ")"
	err = l.through(ctx, "integrity", check, nil, func(r *sqlite3.Row) (bool, error) {
		var line string
		if err := r.Scan(&line); err != nil {
			return false, err
		}
		if line != "ok" {
			found = append(found, line)
		}
		return true, nil
	})
	if err != nil || len(found) > 0 {
		return found, err
	}
	return l.chainsIn(ctx, most)
}

// settingsWanted are those without which a ledger is not safe.
var settingsWanted = []Setting{
	{Name: "journal_mode", Want: "wal"},
	{Name: "synchronous", Want: "2"}, // FULL
	{Name: "foreign_keys", Want: "1"},
	{Name: "locking_mode", Want: "normal"},
}

// trial reads back how a connection that writes is set, and writes a little more
// than a claim does: with a ROLLBACK, so that no byte of it reaches the disk.
func trial(path string, more []string) (settings []Setting, err error) {
	c, err := connect(path, "mode=rw", more...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	for _, s := range settingsWanted {
		if s.Got, err = one[string](c, "PRAGMA "+s.Name); err != nil {
			return settings, err
		}
		settings = append(settings, s)
	}
	if err := c.Exec("BEGIN IMMEDIATE"); err != nil {
		return settings, err
	}
	err = c.Exec("INSERT INTO names (name) VALUES (?)", "a trial "+strings.Repeat("-", 64<<10))
	return settings, errors.Join(err, c.Exec("ROLLBACK"))
}
