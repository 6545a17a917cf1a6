package store

import (
	"slices"
	"strings"

	"counterfoil/intent"
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

func (tx *transaction) load(key intent.Key) (l loaded, err error) {
	var resources []byte
	dest := []any{&l.id, &l.version, &l.currency, &l.counted.Open, &l.counted.Spent, &resources, &l.fingerprints}
	found, err := tx.first(queryLoad, []any{keyBlob(key)}, dest...)
	if err != nil || !found {
		return loaded{}, err
	}
	l.resources, err = decodeResources(resources)
	return l, err
}

// find is the row of a key; its version is 0 where there is none.
func (tx *transaction) find(key intent.Key) (row intent.Row, err error) {
	_, err = tx.first(queryFind, []any{keyBlob(key)}, rowScan(&row)...)
	return row, err
}

var (
	queryInsert = "INSERT INTO intents (open, blocks, resources, fingerprints, " + strings.Join(rowColumns, ", ") +
		") VALUES (?, ?, ?, ?" + strings.Repeat(", ?", len(rowColumns)) + ")"
	// The key never changes, and comes first.
	queryUpdate = "UPDATE intents SET open = ?, blocks = ?, " + strings.Join(rowColumns[1:], " = ?, ") + " = ? WHERE id = ?"
)

// put writes a row, new or not, and all that is kept of it elsewhere: what it
// touches, and the marks and sums there.
func (tx *transaction) put(before loaded, row intent.Row, named []intent.Resource, fps []intent.Fingerprint) (id int64, after intent.Row, err error) {
	after = kept(row)
	after.Version = tx.seq
	now := loaded{id: before.id, currency: after.Currency, counted: counted(&after), fingerprints: addFingerprints(before.fingerprints, fps)}
	if now.resources, err = tx.with(before.resources, named); err != nil {
		return 0, intent.Row{}, err
	}
	names, err := tx.numbers(after.Tool, after.Owner, after.Principal)
	if err != nil {
		return 0, intent.Row{}, err
	}
	fields := rowFields(&after, names[0], names[1], names[2])
	if before.id == 0 {
		first := []any{after.Open(), after.Blocks(), encodeResources(now.resources), blob(now.fingerprints)}
		now.id, err = tx.insert(queryInsert, append(first, fields...)...)
	} else {
		first := []any{after.Open(), after.Blocks()}
		err = tx.exec(queryUpdate, append(append(first, fields[1:]...), now.id)...)
	}
	if err == nil {
		err = tx.grow(before, now)
	}
	if err == nil {
		err = tx.sum(before, now)
	}
	return now.id, after, err
}

// grow links what a row newly touches, and writes what an older one has more of.
func (tx *transaction) grow(before, now loaded) error {
	more := now.resources[len(before.resources):]
	if err := tx.touch(now.id, more); err != nil || before.id == 0 {
		return err
	}
	if len(more) > 0 {
		if err := tx.exec("UPDATE intents SET resources = ? WHERE id = ?", encodeResources(now.resources), now.id); err != nil {
			return err
		}
	}
	if len(now.fingerprints) != len(before.fingerprints) {
		return tx.exec("UPDATE intents SET fingerprints = ? WHERE id = ?", now.fingerprints, now.id)
	}
	return nil
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
