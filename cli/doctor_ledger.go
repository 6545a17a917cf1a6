package cli

import (
	"errors"
	"fmt"
	"strings"

	"counterfoil/store"
)

// What is left on a disk before it is worth a word, in bytes.
const (
	spaceLow  = 1 << 30
	spaceGone = 64 << 20
)

// ledgerFindings are what there is to say of the ledger's file.
func ledgerFindings(h store.Health, realProvider bool) []finding {
	found := []finding{placeFinding(h, realProvider), spaceFinding(h)}
	if f, ok := sharedFinding(realProvider); ok {
		found = append(found, f)
	}
	found = append(found, spillFindings(h)...)
	switch {
	case h.Unreadable != nil:
		return append(found, unreadable(h))
	case !h.There:
		return append(found, fine("ledger", "there is none yet; the first call makes it"))
	}
	found = append(found,
		fine("ledger", "%s, of account %s, schema %d, %s", h.Path, h.Account, h.Schema, plainSize(h.Bytes)),
		settingsFinding(h), turnFinding(h), writeFinding(h))
	if h.Checked {
		found = append(found, damageFinding(h))
	}
	return found
}

func placeFinding(h store.Health, realProvider bool) finding {
	const check, mend = "ledger file system", "keep the data directory on a local disk that is not synchronised (--data-dir); whoever is on another machine can share one server there (counterfoil serve --http)"
	volume := h.Volume
	if volume == "" {
		volume = "a local disk, as far as can be told"
	}
	switch {
	case h.UnsafeKind == "":
		return fine(check, "%s", volume)
	case realProvider:
		return wrong(check, mend, "%s, where a ledger is not safe: every write is refused", h.UnsafeKind)
	}
	return warns(check, mend, "%s; it will do for the sandbox, and is refused for a real provider", h.UnsafeKind)
}

func spaceFinding(h store.Health) finding {
	const check, mend = "free disk space", "make room on the disk, or move the data directory to a larger one"
	switch {
	case h.Free < 0:
		return fine(check, "cannot be told on this system")
	case h.Free < spaceGone:
		return wrong(check, mend, "%s left: acts will be refused before they are sent", plainSize(h.Free))
	case h.Free < spaceLow:
		return warns(check, mend, "%s left", plainSize(h.Free))
	}
	return fine(check, "%s", plainSize(h.Free))
}

// sharedFinding: siblings and caps hold inside one ledger alone.
func sharedFinding(realProvider bool) (finding, bool) {
	if !realProvider {
		return finding{}, false
	}
	return warns("several desktops", "where more than one machine acts on this account, let them share one server (counterfoil serve --http)",
		"a real provider and a ledger on this machine alone: another machine's acts are not seen here"), true
}

func spillFindings(h store.Health) []finding {
	var found []finding
	if h.Spill.Path != "" {
		found = append(found, warns("spill file", "once the disk takes writes again, run counterfoil sweep: the next opening reads the file first, and removes it",
			"%s (%s, since %s) holds outcomes that could not be written", h.Spill.Path, plainSize(h.Spill.Bytes), h.Spill.At.UTC().Format("2 January 15:04 UTC")))
	}
	if h.SpillBad.Path != "" {
		found = append(found, warns("spill file, kept aside", "read it: each line is an act whose outcome may be missing here; compare with the provider's books, then remove the file",
			"%s (%s) holds what could not be read back", h.SpillBad.Path, plainSize(h.SpillBad.Bytes)))
	}
	return found
}

func unreadable(h store.Health) finding {
	const check = "ledger"
	var version *store.VersionError
	var account *store.AccountError
	var foreign *store.ForeignError
	switch {
	case errors.As(h.Unreadable, &version):
		return wrong(check, "run the newer counterfoil everywhere; an older one cannot use this file", "%v", version)
	case errors.As(h.Unreadable, &account):
		return wrong(check, "name the ledger of this account with --ledger, or leave --ledger out", "%v", account)
	case errors.As(h.Unreadable, &foreign):
		return wrong(check, "name another file with --ledger: this one is some other program's", "%v", foreign)
	}
	return wrong(check, "see that the file may be read; if it is damaged, put a backup in its place while no server runs: what is missing in it is looked up before it is believed",
		"%s cannot be read: %v", h.Path, h.Unreadable)
}

func settingsFinding(h store.Health) finding {
	const check = "ledger settings"
	var right, off []string
	for _, s := range h.Settings {
		text := fmt.Sprintf("%s %s", s.Name, plainSetting(s.Name, s.Got))
		right = append(right, text)
		if s.Got != s.Want {
			off = append(off, fmt.Sprintf("%s, not %s", text, plainSetting(s.Name, s.Want)))
		}
	}
	switch {
	case len(off) > 0:
		return wrong(check, "stop whatever else has the file open and start counterfoil once: it sets them itself", "%s", strings.Join(off, "; "))
	case len(right) == 0:
		return warns(check, "see the finding on writing", "could not be read back")
	}
	return fine(check, "%s", strings.Join(right, ", "))
}

func plainSetting(name, value string) string {
	if name == "synchronous" && value == "2" {
		return "full"
	}
	return value
}

func turnFinding(h store.Health) finding {
	const check = "ledger lock"
	if h.Turn != nil {
		return warns(check, "if it stays so, look for a counterfoil that hangs or was stopped (SIGSTOP), and end it",
			"the turn to write could not be had within a second: %v", h.Turn)
	}
	return fine(check, "the turn to write can be had")
}

func writeFinding(h store.Health) finding {
	const check = "ledger write"
	switch {
	case errors.Is(h.Write, store.ErrBusy):
		return warns(check, "run counterfoil doctor again; if it stays so, see what holds the file", "%v", h.Write)
	case h.Write != nil:
		return wrong(check, "mend what it says: until then nothing is sent; the full check is counterfoil doctor --full", "not possible: %v", h.Write)
	}
	return fine(check, "possible; one was tried, and taken back")
}

func damageFinding(h store.Health) finding {
	const check = "ledger, every page"
	if len(h.Damage) > 0 {
		return wrong(check, "stop the servers, keep the file, and put a backup in its place", "damaged: %s", strings.Join(h.Damage, "; "))
	}
	return fine(check, "no damage")
}
