package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"counterfoil/intent"
)

// loaded is a row as a transaction finds it; id 0: there is none.
type loaded struct {
	id           int64
	row          intent.Row
	resources    string // their numbers, as JSON
	fingerprints []byte
}

var queryLoad = "SELECT i.id, i.resources, i.fingerprints, " + selectRow + " FROM intents i WHERE i.account = ? AND i.key = ?"

func (tx *transaction) load(ctx context.Context, key intent.Key) (l loaded, err error) {
	dest := append([]any{&l.id, &l.resources, &l.fingerprints}, rowScan(&l.row)...)
	err = tx.row(ctx, queryLoad, []any{tx.account, keyBlob(key)}, dest...)
	if errors.Is(err, sql.ErrNoRows) {
		return loaded{}, nil
	}
	return l, err
}

var (
	queryInsert = "INSERT INTO intents (account, resources, fingerprints, open, blocks, " + strings.Join(rowColumns, ", ") +
		") VALUES (?, ?, ?, ?, ?" + strings.Repeat(", ?", len(rowColumns)) + ") RETURNING id"
	// The key never changes, and comes first.
	queryUpdate = "UPDATE intents SET open = ?, blocks = ?, " + strings.Join(rowColumns[1:], " = ?, ") + " = ? WHERE id = ?"
)

// put writes a row, new or not, and all that is kept of it elsewhere: what it
// touches, and the sums there.
func (tx *transaction) put(ctx context.Context, before loaded, row intent.Row, touched []touched, fps []intent.Fingerprint) (after loaded, err error) {
	after = loaded{id: before.id, row: kept(row)}
	after.row.Version = tx.seq
	after.fingerprints = addFingerprints(before.fingerprints, fps)
	if after.resources, err = tx.touch(ctx, touched); err != nil {
		return loaded{}, err
	}
	who, err := tx.behind(ctx, row.Owner, row.Principal)
	if err != nil {
		return loaded{}, err
	}
	fields := rowFields(&after.row, who)
	if before.id == 0 {
		first := []any{tx.account, after.resources, blob(after.fingerprints), after.row.Open(), after.row.Blocks()}
		err = tx.row(ctx, queryInsert, append(first, fields...), &after.id)
	} else {
		first := []any{after.row.Open(), after.row.Blocks()}
		err = tx.exec(ctx, queryUpdate, append(append(first, fields[1:]...), after.id)...)
	}
	if err != nil {
		return loaded{}, err
	}
	if err := tx.link(ctx, before, after); err != nil {
		return loaded{}, err
	}
	return after, tx.sum(ctx, before, after)
}

// link writes what a new row has by itself, and an older one only where it grew.
func (tx *transaction) link(ctx context.Context, before, after loaded) error {
	if after.resources != before.resources {
		if err := tx.exec(ctx, queryLink, after.id, after.resources); err != nil {
			return err
		}
	}
	if before.id == 0 {
		return nil
	}
	if after.resources != before.resources {
		if err := tx.exec(ctx, "UPDATE intents SET resources = ? WHERE id = ?", after.resources, after.id); err != nil {
			return err
		}
	}
	if len(after.fingerprints) != len(before.fingerprints) {
		return tx.exec(ctx, "UPDATE intents SET fingerprints = ? WHERE id = ?", after.fingerprints, after.id)
	}
	return nil
}

const queryLink = "INSERT INTO touches (resource, intent) SELECT value, ? FROM json_each(?) WHERE true ON CONFLICT DO NOTHING"

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

// touched is a resource that a row touches, as a transaction finds it.
type touched struct {
	id      int64 // 0: not in the ledger yet
	kind    string
	name    string
	changed int64
	linked  bool // the row touches it already
}

// resolve finds the resources that a row touches: those whose numbers it has,
// and those that are named.
func (tx *transaction) resolve(ctx context.Context, numbers string, named []intent.Resource) ([]touched, error) {
	all, err := linked(numbers)
	if err != nil {
		return nil, err
	}
	for _, r := range named {
		t := touched{kind: r.Kind, name: r.ID}
		err := tx.row(ctx, "SELECT id, changed FROM resources WHERE kind = ? AND name = ?", []any{r.Kind, r.ID}, &t.id, &t.changed)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return nil, err
		}
		same := func(other touched) bool { return t.id == other.id && (t.id != 0 || t == other) }
		if !slices.ContainsFunc(all, same) {
			all = append(all, t)
		}
	}
	return all, nil
}

// linked are the resources that a row has touched before.
func linked(numbers string) ([]touched, error) {
	if numbers == "" {
		return nil, nil
	}
	var ids []int64
	if err := json.Unmarshal([]byte(numbers), &ids); err != nil {
		return nil, err
	}
	all := make([]touched, len(ids))
	for i, id := range ids {
		all[i] = touched{id: id, linked: true}
	}
	return all, nil
}

// changedSince reports whether a commit after mark changed one of the resources.
func (tx *transaction) changedSince(ctx context.Context, all []touched, mark int64) (bool, error) {
	for _, r := range all {
		if r.linked {
			if err := tx.row(ctx, "SELECT changed FROM resources WHERE id = ?", []any{r.id}, &r.changed); err != nil {
				return false, err
			}
		}
		if r.changed > mark {
			return true, nil
		}
	}
	return false, nil
}

// touch marks resources as changed by this commit, makes those that are new,
// and returns the numbers of all as JSON.
func (tx *transaction) touch(ctx context.Context, all []touched) (numbers string, err error) {
	ids := make([]int64, len(all))
	for i := range all {
		r := &all[i]
		if r.id == 0 {
			err := tx.row(ctx, "INSERT INTO resources (kind, name, changed) VALUES (?, ?, ?) RETURNING id", []any{r.kind, r.name, tx.seq}, &r.id)
			if err != nil {
				return "", err
			}
		}
		ids[i] = r.id
	}
	text, err := json.Marshal(ids)
	if err != nil {
		return "", err
	}
	return string(text), tx.exec(ctx, queryTouch, tx.seq, string(text))
}

const queryTouch = "UPDATE resources SET changed = ? WHERE id IN (SELECT value FROM json_each(?))"
