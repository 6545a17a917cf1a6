package server

import (
	"os"
	"time"
)

// parentEvery is how often the parent is looked at.
const parentEvery = time.Second

// parentAtStart is taken before anything can have waited, so that a parent that
// dies while the process starts is missed by as little as possible.
var parentAtStart = os.Getppid()

// parentWatch tells when the process that started this one is gone: desktop
// clients that crash leave their servers behind.
type parentWatch struct {
	pid    func() int
	born   int
	strays int
}

func newParentWatch(pid func() int) *parentWatch {
	if pid == nil {
		return &parentWatch{pid: os.Getppid, born: parentAtStart}
	}
	return &parentWatch{pid: pid, born: pid()}
}

// orphaned looks once. It wants to see a change twice: a parent may write its
// last lines and exit, and those, with the end of input behind them, are read
// between one look and the next.
func (w *parentWatch) orphaned() bool {
	if w.pid() == w.born {
		w.strays = 0
		return false
	}
	w.strays++
	return w.strays > 1
}
