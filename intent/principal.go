package intent

import "context"

type principalKey struct{}

// WithPrincipal names who asks for the calls under ctx; the empty name is
// whoever runs this process. It is kept with every attempt that they make, and
// decides nothing: the same intent is the same, whoever asks.
func WithPrincipal(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, principalKey{}, name)
}

// Principal is who asks; asked is false where nobody does, as in a sweep.
func Principal(ctx context.Context) (name string, asked bool) {
	name, asked = ctx.Value(principalKey{}).(string)
	return name, asked
}

// askedBy is a row as a claim under ctx makes it. What is sent on behalf of an
// earlier call stays that call's.
func askedBy(ctx context.Context, row Row) Row {
	if name, asked := Principal(ctx); asked {
		row.Principal = name
	}
	return row
}
