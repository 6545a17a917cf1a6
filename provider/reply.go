package provider

import "net/http"

// Reply is what one request came to: Responded, NotSent or Lost.
//
//sumtype:decl
type Reply interface{ reply() }

// Responded is a whole answer, whatever its status: its body was read to the
// end that its header announced, unless the write asked for the status alone.
type Responded struct {
	Status int
	Header http.Header
	Body   []byte
}

// NotSent is proof that no byte of the request left, and that none will.
// Detail is one of a few fixed words, for the ledger.
type NotSent struct{ Detail string }

// Lost means that bytes may have left and that no whole answer came. Detail is
// one of a few fixed words, for the ledger.
type Lost struct{ Detail string }

func (Responded) reply() {}
func (NotSent) reply()   {}
func (Lost) reply()      {}
