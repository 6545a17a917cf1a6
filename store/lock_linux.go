package store

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// place is a process's own place in the queue: the file, of which the door and
// the seat are one byte each.
type place struct{ file *os.File }

const (
	door int64 = iota
	seat
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
	seated, err := p.try(seat)
	if err != nil || !seated {
		return false, err
	}
	passed, err = p.try(door)
	return passed, errors.Join(err, p.release(seat))
}

// pass waits for the seat, and there for the door.
func (p *place) pass() error {
	if err := p.lock(unix.F_OFD_SETLKW, unix.F_WRLCK, seat); err != nil {
		return err
	}
	err := p.lock(unix.F_OFD_SETLKW, unix.F_WRLCK, door)
	return errors.Join(err, p.release(seat))
}

func (p *place) leave() error { return p.release(door) }

func (p *place) try(which int64) (bool, error) {
	err := p.lock(unix.F_OFD_SETLK, unix.F_WRLCK, which)
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
		return false, nil
	}
	return err == nil, err
}

func (p *place) release(which int64) error { return p.lock(unix.F_OFD_SETLK, unix.F_UNLCK, which) }

func (p *place) lock(how int, kind int16, which int64) error {
	for {
		at := unix.Flock_t{Type: kind, Whence: io.SeekStart, Start: which, Len: 1}
		err := unix.FcntlFlock(p.file.Fd(), how, &at)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
