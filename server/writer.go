package server

import (
	"encoding/json"
	"io"
	"log/slog"

	"github.com/mark3labs/mcp-go/mcp"
)

// writer is the only one that writes to the client, one message a line.
type writer struct {
	out     io.Writer
	log     *slog.Logger
	replies chan reply
	written chan *call    // one for every reply, once it is out
	broken  chan struct{} // closed when the client can no longer be told anything
}

// reply is the end of a call. The body is nil where none is due.
type reply struct {
	call *call
	body mcp.JSONRPCMessage
}

func newWriter(out io.Writer, log *slog.Logger) *writer {
	return &writer{
		out:     out,
		log:     log,
		replies: make(chan reply),
		written: make(chan *call),
		broken:  make(chan struct{}),
	}
}

// run writes until gone is closed.
func (w *writer) run(notes <-chan mcp.JSONRPCNotification, gone <-chan struct{}) {
	for {
		select {
		case <-gone:
			return
		case note := <-notes:
			w.writeNote(note)
		case r := <-w.replies:
			w.flush(notes)
			if r.body != nil {
				w.writeReply(r)
			}
			select {
			case w.written <- r.call:
			case <-gone:
				return
			}
		}
	}
}

// flush writes the notifications that a call sent before it ended, which a
// client drops when they come after its reply.
func (w *writer) flush(notes <-chan mcp.JSONRPCNotification) {
	for {
		select {
		case note := <-notes:
			w.writeNote(note)
		default:
			return
		}
	}
}

func (w *writer) writeNote(note mcp.JSONRPCNotification) {
	if err := w.write(note); err != nil {
		w.log.Error("notification cannot be encoded", "method", note.Method, "error", err)
	}
}

func (w *writer) writeReply(r reply) {
	if err := w.write(r.body); err != nil {
		w.log.Error("reply cannot be encoded", "error", err)
		_ = w.write(errorReply(r.call.id, mcp.INTERNAL_ERROR, errInternal.Error())) // plain text can be
	}
}

// write fails only for a message that cannot be encoded. An output that broke
// is reported once, through broken, and not written to again.
func (w *writer) write(body mcp.JSONRPCMessage) error {
	line, err := json.Marshal(body)
	if err != nil {
		return err
	}
	select {
	case <-w.broken:
		return nil
	default:
	}
	if _, err := w.out.Write(append(line, '\n')); err != nil {
		w.log.Error("the client no longer reads", "error", err)
		close(w.broken)
	}
	return nil
}
