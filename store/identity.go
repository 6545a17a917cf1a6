package store

import "os"

// identify remembers which file was opened. The path alone does not say: a file
// that was removed or put back from a copy leaves this process writing to one
// that nobody will ever open again.
func (l *Ledger) identify() error {
	info, err := os.Stat(l.path)
	if err != nil {
		return err
	}
	l.file = info
	return nil
}

// stillThere refuses to write to a file that the path no longer leads to.
func (l *Ledger) stillThere() error {
	info, err := os.Stat(l.path)
	if err == nil && os.SameFile(info, l.file) {
		return nil
	}
	return &refusal{why: "the file was removed or replaced while it was open: restart every process that uses it"}
}
