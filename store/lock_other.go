//go:build !linux

package store

import "github.com/gofrs/flock"

// place is a process's own place in the queue: the lock, and no seat.
type place struct{ lock *flock.Flock }

func openPlace(path string) (*place, error) { return &place{newLock(path)}, nil }

func (p *place) close() error { return p.lock.Close() }

func (p *place) tryPass() (passed bool, err error) { return p.lock.TryLock() }

func (p *place) pass() error { return p.lock.Lock() }

func (p *place) leave() error { return p.lock.Unlock() }
