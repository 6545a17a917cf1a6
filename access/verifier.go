package access

import "context"

// Verifier checks tokens of one form.
type Verifier interface {
	// Reads tells whether a token has that form.
	Reads(token string) bool
	// Verify says whose token it is. One that does not count is a
	// *RefusedError; any other error means that it could not be found out.
	Verify(ctx context.Context, token string) (Principal, error)
}

// RefusedError is why a token does not count. It holds nothing of the token, so
// that it can be logged and answered.
type RefusedError struct{ Why string }

func (e *RefusedError) Error() string { return "the token " + e.Why }

func refused(why string) error { return &RefusedError{why} }

// unknown is the one refusal of whatever is not known here, so that a guess
// learns nothing from it.
func unknown() error { return refused("is not known") }
