//go:build unix

package e2e_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// act is one thing that a model may ask for, the same every time.
type act struct {
	tool string
	kind string // of its effect
	args values
	// A cancellation names what was booked, so it is asked for after that.
	cancels bool
}

func (a act) ticket() string { return fmt.Sprint(a.args["ticket_id"]) }

// acts are what can be done on some tickets of the seed: on each one act of every
// tool that writes. No two of them are siblings, but for the cancellation.
func (w *world) acts(tickets int) []act {
	w.Helper()
	c := w.serve()
	defer c.close()
	var all []act
	for i := 1; len(all) < tickets*actsPerTicket; i++ {
		all = append(all, w.actsOn(c, fmt.Sprintf("T-%d", 5000+i))...)
	}
	return all
}

const actsPerTicket = 7

// actsOn are the acts on one ticket; none where its order is not in dollars or
// has one item only, which cannot both be paid back and sent once more.
func (w *world) actsOn(c *client, ticketID string) []act {
	w.Helper()
	var ticket struct {
		OrderIDs []string `json:"order_ids"`
	}
	w.read(c, "get_ticket", values{"ticket_id": ticketID}, &ticket)
	var order struct {
		Currency string
		Items    []struct {
			ItemID   string `json:"item_id"`
			SellerID string `json:"seller_id"`
		}
	}
	orderID := ticket.OrderIDs[0]
	w.read(c, "get_order", values{"order_id": orderID}, &order)
	if order.Currency != "USD" || len(order.Items) < 2 {
		return nil
	}
	on := func(tool, kind string, more values) act {
		args := values{"ticket_id": ticketID}
		for name, value := range more {
			args[name] = value
		}
		return act{tool: tool, kind: kind, args: args, cancels: tool == "cancel_pickup"}
	}
	first, second := order.Items[0], order.Items[1]
	return []act{
		on("issue_refund", "refund", values{"order_id": orderID, "item_id": first.ItemID, "units": []int{1}, "amount_cents": 700}),
		on("message_seller", "message", values{"seller_id": first.SellerID, "text": "It came broken: " + first.ItemID}),
		on("book_pickup", "pickup", values{"order_id": orderID, "date": "2031-12-09"}),
		on("send_replacement", "replacement", values{"order_id": orderID, "item_id": second.ItemID, "units": []int{1}}),
		on("reply_to_buyer", "message", values{"text": "We are seeing to it."}),
		on("cancel_pickup", "pickup", nil),
		on("escalate_to_human", "escalation", values{"reason": "other", "summary": "The third one this month."}),
	}
}

// read calls a tool that reads.
func (w *world) read(c *client, tool string, args values, to any) {
	w.Helper()
	heard := c.mustCall(tool, args)
	if heard.Outcome != "found" {
		w.Fatalf("%s %v: %s", tool, args, heard.text)
	}
	if err := json.Unmarshal([]byte(heard.text), to); err != nil {
		w.Fatal(err)
	}
}

// notes are what the callers of a test were told.
type notes struct {
	mu     sync.Mutex
	heard  []note
	booked map[string]string // the booking's id, by ticket
	wrong  []error           // answers that break a law, or never came
}

// note is one answer.
type note struct {
	act   act
	began time.Time // of the call
	told
}

// arguments are those of an act, as far as they are known.
func (n *notes) arguments(a act) (values, bool) {
	if !a.cancels {
		return a.args, true
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	id, booked := n.booked[a.ticket()]
	return values{"ticket_id": a.ticket(), "booking_id": id}, booked
}

// take keeps the answer to a call that began then, or what was wrong with it.
func (n *notes) take(a act, began time.Time, heard told, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err != nil {
		n.wrong = append(n.wrong, fmt.Errorf("%s %v: %w", a.tool, a.args, err))
		return
	}
	n.heard = append(n.heard, note{a, began, heard})
	if a.tool == "book_pickup" && heard.done() {
		if n.booked == nil {
			n.booked = map[string]string{}
		}
		n.booked[a.ticket()] = heard.effectID
	}
}

// tally counts the answers by outcome.
func (n *notes) tally() map[string]int {
	n.mu.Lock()
	defer n.mu.Unlock()
	count := map[string]int{}
	for _, h := range n.heard {
		count[h.Outcome]++
	}
	return count
}
