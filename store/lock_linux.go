package store

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// place is a process's own place in the queue: the file, of which the door and
// the seats are one byte each.
type place struct{ file *os.File }

const (
	door  int64 = 0
	seats int64 = 4 // bytes 1 to 4, the first one next to the door
)

func openPlace(path string) (*place, error) {
	file, err := openLock(path)
	if err != nil {
		return nil, err
	}
	return &place{file}, nil
}

func (p *place) close() error { return p.file.Close() }

// tryPass passes where nobody waits or is inside.
func (p *place) tryPass() (passed bool, err error) {
	seated, err := p.try(door+1, seats)
	if err != nil || !seated {
		return false, err
	}
	passed, err = p.try(door, 1)
	return passed, errors.Join(err, p.release(door+1, seats))
}

// pass waits for the last seat, there for the one before it, and so on to the
// door. Whoever has a seat is overtaken by nobody.
func (p *place) pass() error {
	for at := seats; at >= door; at-- {
		err := p.lock(unix.F_OFD_SETLKW, unix.F_WRLCK, at, 1)
		if at < seats {
			err = errors.Join(err, p.release(at+1, 1))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *place) leave() error { return p.release(door, 1) }

func (p *place) try(from, size int64) (bool, error) {
	err := p.lock(unix.F_OFD_SETLK, unix.F_WRLCK, from, size)
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
		return false, nil
	}
	return err == nil, err
}

func (p *place) release(from, size int64) error {
	return p.lock(unix.F_OFD_SETLK, unix.F_UNLCK, from, size)
}

func (p *place) lock(how int, kind int16, from, size int64) error {
	for {
		at := unix.Flock_t{Type: kind, Whence: io.SeekStart, Start: from, Len: size}
		err := unix.FcntlFlock(p.file.Fd(), how, &at)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
