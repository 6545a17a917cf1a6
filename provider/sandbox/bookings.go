package sandbox

import (
	"context"

	"counterfoil/provider"
)

// bookings is the port of the courier's bookings.
type bookings struct{ api *api }

var bookingMembers = []string{"id", "order_id", "ticket_id", "date", "status"}

// Booking reads one booking.
func (p bookings) Booking(ctx context.Context, id string) provider.Read[provider.Booking] {
	read := readOne(ctx, p.api, "/v1/pickups/"+segment(id), "unknown_booking", bookingMembers, func(o object) bool {
		return same(o.ID, id) && o.OrderID != ""
	})
	return provider.Read[provider.Booking]{
		State: read.State, Detail: read.Detail,
		Value: provider.Booking{
			BookingID: read.Value.ID, OrderID: read.Value.OrderID, TicketID: read.Value.TicketID,
			Date: read.Value.Date, Status: read.Value.Status,
		},
	}
}
