package intent

import "context"

// undone reports whether a lookup found an effect that a later act has undone.
func undone(s sighting) bool {
	found, ok := s.finding.(Found)
	return ok && found.Effect.Undone && found.Effect.Final
}

// successor is the act that repeats a reversible one whose effect was undone:
// the same facts, and again_after its effect. What stands is the answer to a
// repeat, and not what was taken back.
func (c *call) successor(ctx context.Context, row Row) (Row, bool) {
	if c.op.Class() != ClassReversible || row.EffectID == "" {
		return Row{}, false
	}
	for _, next := range c.newerInScope(ctx, row) {
		if next.Tool != row.Tool || next.State != StatePerformed {
			continue
		}
		act, err := c.e.o.Ledger.Act(ctx, next.Key)
		if err != nil {
			c.e.fault("act of a successor", err)
			continue
		}
		if followedBy(c.op, act) == row.EffectID {
			return next, true
		}
	}
	return Row{}, false
}

// mostRepeats bounds how many deliberate repeats are followed.
const mostRepeats = 20

// lastRepeat follows, at the authority, the deliberate repeats of an effect
// that was found undone and of which the ledger knows nothing. It may know of
// the last one.
func (c *call) lastRepeat(ctx context.Context, p *plan) *plan {
	if c.op.Class() != ClassReversible {
		return p
	}
	last := p
	for range mostRepeats {
		found, ok := last.seen.finding.(Found)
		if !ok || !undone(last.seen) {
			break
		}
		next := *p
		next.key = DeriveKey(c.e.o.Ledger.Account(), c.op.Tool(), again(p.reading.Facts, found.Effect.ID))
		next.row = c.newRow(ctx, next.key, p.reading)
		next.seen = c.e.lookUp(ctx, c.op.Steps()[0], next.row, p.act)
		if _, ok := next.seen.finding.(Found); !ok {
			break
		}
		last = &next
	}
	if row, known, err := c.e.o.Ledger.Find(ctx, last.key); err == nil && known {
		last.row = row
	}
	return last
}
