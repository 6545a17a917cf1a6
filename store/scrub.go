package store

import (
	"fmt"
	"os"
)

// scrubBeside bounds the file, in bytes, that is written anew while other
// processes use it: none of them can write meanwhile.
const scrubBeside = 128 << 20

// scrub takes what was erased out of the rest of the file as well: out of free
// pages and of the gaps that moved rows have left, by writing the file anew,
// and out of the -wal, by handing it over and cutting it off. What it could not
// do it says.
func (l *Ledger) scrub() (remains []string) {
	leave, err := l.write.enter()
	if err != nil {
		return []string{fmt.Sprintf("unused parts of the file and its -wal (%v)", err)}
	}
	defer leave()
	if err := l.rewrite(); err != nil {
		remains = append(remains, fmt.Sprintf("unused parts of the file (%v)", err))
	}
	if err := l.write.cutWAL(); err != nil {
		remains = append(remains, fmt.Sprintf("its -wal (%v)", err))
	}
	if _, err := os.Stat(l.spillPath() + ".bad"); err == nil {
		remains = append(remains, l.spillPath()+".bad, which is yours to read and to remove")
	}
	return remains
}

// rewrite writes the file anew, without anything but its rows.
func (l *Ledger) rewrite() error {
	size, err := one[int64](l.write.conn, querySize)
	if err != nil {
		return l.trouble(err)
	}
	if size > scrubBeside && othersLive(l.owner) {
		return fmt.Errorf("it is large, and other processes write to it: stop them first")
	}
	return l.trouble(l.write.conn.Exec("VACUUM"))
}

// querySize is the size of the file, in bytes.
const querySize = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"

// cutWAL moves the whole -wal into the file and leaves nothing of it. The
// caller has the turn.
func (w *writer) cutWAL() error {
	busy, _, err := w.moveWAL("TRUNCATE")
	if err == nil && busy {
		return fmt.Errorf("somebody is reading the ledger")
	}
	return err
}

// othersLive reports whether processes but this one have the ledger open to
// write. Where that cannot be found out, they do.
func othersLive(self *owner) bool {
	files, err := os.ReadDir(self.dir)
	if err != nil {
		return true
	}
	for _, f := range files {
		if f.Name() != self.id && lives(self.dir, f.Name()) {
			return true
		}
	}
	return false
}
