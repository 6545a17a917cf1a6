package store

import (
	"encoding/binary"
	"errors"
	"slices"

	"counterfoil/intent"
	"counterfoil/store/sqlite3"
)

// resource is one that an intent touches, by the number of its kind.
type resource struct {
	kind   int64
	name   string
	before int64 // the intent that touched it before this one; 0: none
}

func (r *resource) is(kind int64, name string) bool { return r.kind == kind && r.name == name }

// listed is where in a list a resource is, below zero where it is not.
func listed(all []resource, kind int64, name string) int {
	return slices.IndexFunc(all, func(r resource) bool { return r.is(kind, name) })
}

// encodeResources lists resources as an intent's column has them: the number of
// the kind, the intent before, the length of the name, the name.
func encodeResources(all []resource) []byte {
	b := make([]byte, 0, 64)
	for _, r := range all {
		b = binary.AppendUvarint(b, uint64(r.kind))   //nolint:gosec // numbers begin at 1
		b = binary.AppendUvarint(b, uint64(r.before)) //nolint:gosec // and so do intents
		b = append(binary.AppendUvarint(b, uint64(len(r.name))), r.name...)
	}
	return b
}

var errResources = errors.New("the resources of a row cannot be read")

func decodeResources(b []byte) ([]resource, error) {
	if len(b) == 0 {
		return nil, nil
	}
	all := make([]resource, 0, 4)
	for p := packed(b); len(p) > 0; {
		kind, name, before, ok := p.resource()
		if !ok {
			return nil, errResources
		}
		all = append(all, resource{kind, string(name), before})
	}
	return all, nil
}

// linkIn is the intent before, at one resource of a list.
func linkIn(b []byte, kind int64, name string) (before int64, ok bool) {
	for p := packed(b); len(p) > 0; {
		k, n, before, ok := p.resource()
		if !ok || k == kind && string(n) == name {
			return before, ok
		}
	}
	return 0, false
}

func (p *packed) resource() (kind int64, name []byte, before int64, ok bool) {
	k, ok := p.size()
	b, linked := p.size()
	size, sized := p.size()
	name, there := p.bytes(size)
	return int64(k), name, int64(b), ok && linked && sized && there //nolint:gosec // they were written from such
}

// with are resources, and those that are named beside.
func (tx *transaction) with(touched []resource, named []intent.Resource) ([]resource, error) {
	if len(named) == 0 {
		return touched, nil
	}
	all := slices.Grow(slices.Clone(touched), len(named))
	for _, r := range named {
		kind, err := tx.number(r.Kind)
		if err != nil {
			return nil, err
		}
		if listed(all, kind, r.ID) < 0 {
			all = append(all, resource{kind: kind, name: r.ID})
		}
	}
	return all, nil
}

// standing is how a resource stands in one currency.
type standing struct {
	kind     int64
	name     string
	currency string
	changed  int64 // the last commit to an intent that touches it
	last     int64 // the newest intent that touches it; 0: none in this currency
}

// standings are those of resources, in all currencies.
func (tx *transaction) standings(rs []resource) (all []standing, err error) {
	if len(rs) == 0 {
		return nil, nil
	}
	args := tx.args[:0]
	for i := range rs {
		args = append(args, i, &rs[i].kind, &rs[i].name)
	}
	tx.args = args
	err = tx.conn.Query(queryStands.of(len(rs)), args, func(r *sqlite3.Row) (bool, error) {
		var i int
		var s standing
		if err := r.Scan(&i, &s.currency, &s.changed, &s.last); err != nil {
			return false, err
		}
		s.kind, s.name = rs[i].kind, rs[i].name
		all = append(all, s)
		return true, nil
	})
	return all, err
}

// moved reports whether a commit after mark changed one of the resources, and
// how they all stand.
func (tx *transaction) moved(touched []resource, named []intent.Resource, mark int64) (moved bool, stand []standing, err error) {
	all := slices.Grow(slices.Clone(touched), len(named))
	for _, r := range named {
		kind, ok, err := tx.known(r.Kind)
		if err != nil {
			return false, nil, err
		}
		if ok {
			all = append(all, resource{kind: kind, name: r.ID})
		}
	}
	stand, err = tx.standings(all)
	return slices.ContainsFunc(stand, func(s standing) bool { return s.changed > mark }), stand, err
}

// link has an intent follow in the chain of each resource that it newly touches,
// by how these stand: nil, where that was not asked for yet. An intent that is
// older than the newest there takes its place among them.
func (tx *transaction) link(id int64, more []resource, currency string, stand []standing) (err error) {
	if stand == nil {
		if stand, err = tx.standings(more); err != nil {
			return err
		}
	}
	for i := range more {
		r := &more[i]
		for _, s := range stand {
			if s.currency != currency || !r.is(s.kind, s.name) {
				continue
			}
			r.before = s.last
			if id != 0 && s.last > id {
				if r.before, err = tx.insertLink(s.last, id, r); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// insertLink puts an intent into a chain whose newest is newer, and returns the
// one before it.
func (tx *transaction) insertLink(newest, id int64, r *resource) (before int64, err error) {
	for at := newest; ; {
		var b []byte
		if _, err := tx.first("SELECT resources FROM intents WHERE id = ?", []any{at}, &b); err != nil {
			return 0, err
		}
		all, err := decodeResources(b)
		if err != nil {
			return 0, err
		}
		n := listed(all, r.kind, r.name)
		if n < 0 || all[n].before >= at {
			return 0, errResources
		}
		before = all[n].before
		if before < id {
			all[n].before = id
			return before, tx.exec("UPDATE intents SET resources = ? WHERE id = ?", encodeResources(all), at)
		}
		at = before
	}
}

// mark has this commit change resources, and adds to their sums. newest is the
// intent that newly touches them, 0 where none does.
func (tx *transaction) mark(all []resource, currency *string, t intent.Total, newest int64) error {
	if len(all) == 0 {
		return nil
	}
	args := tx.args[:0]
	for i := range all {
		args = append(args, &all[i].kind, &all[i].name, currency, &tx.seq, t.Open, t.Spent, newest)
	}
	tx.args = args
	return tx.exec(queryMarked.of(len(all)), args...)
}
