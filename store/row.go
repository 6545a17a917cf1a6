package store

import (
	"slices"
	"strings"

	"counterfoil/intent"
	"counterfoil/store/sqlite3"
)

// loaded is of a row what a change of it has to know; id 0: there is none.
type loaded struct {
	id           int64
	version      int64
	currency     string
	counted      intent.Total
	resources    []resource
	fingerprints []byte
}

var queryLoad = func() string {
	open, spent := countedSQL("i")
	return "SELECT i.id, i.version, i.currency, " + open + ", " + spent + ", i.resources, i.fingerprints FROM intents i WHERE i.key = ?"
}()

func (tx *transaction) load(key *intent.Key) (*loaded, error) {
	l := &loaded{}
	return l, l.find(tx.conn, key)
}

// find reads what there is of a key.
func (l *loaded) find(c *sqlite3.Conn, key *intent.Key) error {
	return c.Query(queryLoad, []any{(*keyBlob)(key)}, func(r *sqlite3.Row) (more bool, err error) {
		var resources []byte
		if err := r.Scan(&l.id, &l.version, &l.currency, &l.counted.Open, &l.counted.Spent, &resources, &l.fingerprints); err != nil {
			return false, err
		}
		l.resources, err = decodeResources(resources)
		return false, err
	})
}

// find is the row of a key; its version is 0 where there is none.
func (tx *transaction) find(key intent.Key) (row intent.Row, err error) {
	_, err = tx.first(queryFind, []any{(*keyBlob)(&key)}, rowScan(&row)...)
	return row, err
}

var (
	queryInsert = "INSERT INTO intents (open, blocks, resources, fingerprints, " + strings.Join(rowColumns, ", ") +
		") VALUES (?, ?, ?, ?" + strings.Repeat(", ?", len(rowColumns)) + ")"
	// The key never changes, and comes first.
	queryUpdate = "UPDATE intents SET open = ?, blocks = ?, " + strings.Join(rowColumns[1:], " = ?, ") + " = ? WHERE id = ?"
)

// put writes a row, new or not, and all that is kept of it elsewhere: what it
// touches, and the marks and sums there. How what is named stands may have been
// asked for before; nil: not.
func (tx *transaction) put(
	before *loaded, row intent.Row, named []intent.Resource, fps []intent.Fingerprint, stand []standing,
) (id int64, after intent.Row, err error) {
	after = kept(row)
	after.Version = tx.seq
	now := &loaded{id: before.id, currency: after.Currency, counted: counted(&after), fingerprints: addFingerprints(before.fingerprints, fps)}
	if now.resources, err = tx.with(before.resources, named); err != nil {
		return 0, intent.Row{}, err
	}
	if more := now.resources[len(before.resources):]; len(more) > 0 {
		if err := tx.link(before.id, more, now.currency, stand); err != nil {
			return 0, intent.Row{}, err
		}
	}
	if before.id == 0 {
		now.id, err = tx.insertRow(&after, now)
	} else {
		err = tx.updateRow(&after, before, now)
	}
	if err == nil {
		err = tx.sum(before, now)
	}
	return now.id, after, err
}

func (tx *transaction) insertRow(row *intent.Row, l *loaded) (id int64, err error) {
	tool, owner, principal, err := tx.namesOf(row)
	if err != nil {
		return 0, err
	}
	tx.args = append(tx.args[:0], row.Open(), row.Blocks(), encodeResources(l.resources), blob(l.fingerprints))
	tx.args = appendRowFields(tx.args, row, tool, owner, principal)
	return tx.insert(queryInsert, tx.args...)
}

// updateRow writes an older row, and what it has more of now.
func (tx *transaction) updateRow(row *intent.Row, before, now *loaded) error {
	tool, owner, principal, err := tx.namesOf(row)
	if err != nil {
		return err
	}
	tx.args = append(tx.args[:0], row.Open())
	tx.args = append(appendRowFields(tx.args, row, tool, owner, principal), now.id)
	tx.args[1] = row.Blocks() // it was the key, which stays
	if err := tx.exec(queryUpdate, tx.args...); err != nil {
		return err
	}
	if len(now.resources) != len(before.resources) {
		if err := tx.exec("UPDATE intents SET resources = ? WHERE id = ?", encodeResources(now.resources), now.id); err != nil {
			return err
		}
	}
	if len(now.fingerprints) != len(before.fingerprints) {
		return tx.exec("UPDATE intents SET fingerprints = ? WHERE id = ?", now.fingerprints, now.id)
	}
	return nil
}

// namesOf are the numbers of the names that a row bears.
func (tx *transaction) namesOf(row *intent.Row) (tool, owner, principal any, err error) {
	if tool, err = tx.optional(row.Tool); err != nil {
		return nil, nil, nil, err
	}
	if owner, err = tx.optional(row.Owner); err != nil {
		return nil, nil, nil, err
	}
	principal, err = tx.optional(row.Principal)
	return tool, owner, principal, err
}

// addFingerprints appends those that are not there yet.
func addFingerprints(have []byte, fps []intent.Fingerprint) []byte {
	for _, fp := range fps {
		if !bearsFingerprint(have, fp) {
			have = append(have, fp[:]...)
		}
	}
	return have
}

func bearsFingerprint(have []byte, fp intent.Fingerprint) bool {
	for piece := range slices.Chunk(have, len(fp)) {
		if string(piece) == string(fp[:]) {
			return true
		}
	}
	return false
}
