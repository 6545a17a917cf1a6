package cli

// What doctor makes of what it has seen.
type (
	Finding = finding
	Level   = level
)

var (
	LedgerFindings  = ledgerFindings
	ContentFindings = contentFindings
	ClockFinding    = clockFinding
	OffFinding      = offFinding
	DeclaredFinding = declaredFinding
	NeedsSecret     = needsSecret
)

// HashOf and HashFits are how an operator's secret is kept.
var (
	HashOf   = hashOf
	HashFits = hashFits
)

// How a client's file is found and written.
var (
	Vanishes  = vanishes
	Likeliest = likeliest
)

// ReadClientFile reads a client's file, to be replaced later.
func ReadClientFile(path string) (replace func(text []byte) (backup string, err error), err error) {
	f, err := readClientFile(path)
	if err != nil {
		return nil, err
	}
	return f.replace, nil
}
