package intent

import (
	"context"
	"fmt"
)

// KeyOf derives the key of the intent that arguments define, and the facts that
// it is made of, in the authority's spelling. It reads the authority and nothing
// else, and writes nothing. Where there is no key to derive, the
// result says why, as Do would.
func (e *Engine) KeyOf(ctx context.Context, tool string, args Arguments) (Key, []Fact, *Result) {
	op, ok := e.operations[tool]
	if !ok {
		e.fault("key", fmt.Errorf("tool %q is not registered", tool))
		answer := e.refuse(Refusal{Reason: ReasonInternal})
		return Key{}, nil, &answer
	}
	ctx, cancel := context.WithTimeout(ctx, e.o.AnswerWithin)
	defer cancel()
	c := e.newCall(op, args)
	var reading Reading = Unreadable{}
	e.RepeatRead(ctx, func(ctx context.Context) bool {
		reading = c.readOnce(ctx)
		_, down := reading.(Unreadable)
		return !down
	})
	refusal := Refusal{Reason: ReasonUnreachable}
	switch r := reading.(type) {
	case Readable:
		facts := again(r.Facts, c.loc.Again)
		return DeriveKey(e.o.Ledger.Account(), tool, facts), facts, nil
	case RefusedByRead:
		refusal = Refusal{Reason: r.Reason, Verdict: r.Verdict, Note: r.Note}
	case Unreadable:
	}
	answer := e.refuse(refusal)
	return Key{}, nil, &answer
}
