package store

import (
	"encoding/binary"
	"errors"
	"slices"

	"counterfoil/intent"
)

// resource is one that an intent touches, by the number of its kind.
type resource struct {
	kind int64
	name string
}

// encodeResources lists resources as an intent's column has them: the number of
// the kind, the length of the name, the name.
func encodeResources(all []resource) []byte {
	var b []byte
	for _, r := range all {
		b = binary.AppendUvarint(b, uint64(r.kind)) //nolint:gosec // numbers begin at 1
		b = append(binary.AppendUvarint(b, uint64(len(r.name))), r.name...)
	}
	return b
}

func decodeResources(b []byte) (all []resource, err error) {
	for p := packed(b); len(p) > 0; {
		kind, ok := p.size()
		size, sized := p.size()
		name, there := p.bytes(size)
		if !ok || !sized || !there {
			return nil, errors.New("the resources of a row cannot be read")
		}
		all = append(all, resource{int64(kind), string(name)}) //nolint:gosec // it was written from one
	}
	return all, nil
}

// moved reports whether a commit after mark changed one of the resources.
func (tx *transaction) moved(touched []resource, named []intent.Resource, mark int64) (moved bool, err error) {
	var args []any
	for _, r := range touched {
		args = append(args, r.kind, r.name, mark)
	}
	for _, r := range named {
		kind, ok, err := tx.known(r.Kind)
		if err != nil {
			return false, err
		}
		if ok {
			args = append(args, kind, r.ID, mark)
		}
	}
	if len(args) == 0 {
		return false, nil
	}
	_, err = tx.first(queryMoved.of(len(args)/3), args, &moved)
	return moved, err
}

// with are resources, and those that are named beside.
func (tx *transaction) with(touched []resource, named []intent.Resource) ([]resource, error) {
	all := slices.Clone(touched)
	for _, r := range named {
		kind, err := tx.number(r.Kind)
		if err != nil {
			return nil, err
		}
		if r := (resource{kind, r.ID}); !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	return all, nil
}

// touch links what an intent touches beside what it touched before.
func (tx *transaction) touch(id int64, more []resource) error {
	if len(more) == 0 {
		return nil
	}
	args := make([]any, 0, 3*len(more))
	for _, r := range more {
		args = append(args, r.kind, r.name, id)
	}
	return tx.exec(queryTouch.of(len(more)), args...)
}

// mark has this commit change resources, and adds to their sums.
func (tx *transaction) mark(all []resource, currency string, t intent.Total) error {
	if len(all) == 0 {
		return nil
	}
	args := make([]any, 0, 6*len(all))
	for _, r := range all {
		args = append(args, r.kind, r.name, currency, tx.seq, t.Open, t.Spent)
	}
	return tx.exec(queryMarked.of(len(all)), args...)
}
