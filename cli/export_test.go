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
