package sandbox

import (
	"fmt"
	"strings"
	"time"
)

// generated is how many more tickets, orders and sellers there are. Ticket,
// order, buyer and seller number i belong together.
const generated = 300

var (
	sellerNames = []string{
		"Alder", "Birchwood", "Calder", "Dunmore", "Elmsted", "Fernhill", "Garrow", "Hazelby", "Ivybridge", "Juniper",
		"Kestrel", "Larkfield", "Marlow", "Nettleton", "Orchard", "Penrose", "Quarry", "Rowanlea", "Selwood", "Thornby",
	}
	sellerTrades = []string{
		"Joinery", "Lighting", "Textiles", "Ceramics", "Gardenware", "Upholstery", "Metalwork", "Glass",
		"Basketry", "Clocks", "Mirrors", "Kitchenware", "Bedding", "Toys", "Stationers",
	}
	products = []struct {
		id, title string
		cents     int64
	}{
		{"TABLE-ASH-1", "ash side table", 13900},
		{"CHAIR-BEECH-2", "beech dining chair", 8900},
		{"VASE-STONE-1", "stoneware vase", 3400},
		{"LAMP-DESK-3", "adjustable desk lamp", 5900},
		{"THROW-WOOL-1", "lambswool throw", 7400},
		{"POT-TERRA-4", "set of terracotta pots", 2800},
		{"MIRROR-OVAL-1", "oval wall mirror", 11200},
		{"CLOCK-WALL-2", "silent wall clock", 4600},
		{"BASKET-SEA-1", "seagrass basket", 3900},
		{"MUG-GLAZE-6", "six glazed mugs", 5400},
		{"CUSHION-VEL-2", "velvet cushion", 2900},
		{"BOOKEND-IRON-1", "cast iron bookends", 3200},
		{"STOOL-PINE-1", "pine step stool", 4900},
		{"TRAY-WALNUT-1", "walnut serving tray", 4200},
		{"BLANKET-COT-1", "cotton cot blanket", 3600},
		{"PRINT-BOTAN-3", "framed botanical print", 6800},
		{"DESK-OAK-2", "oak writing desk", 38900},
		{"RACK-SHOE-3", "three-tier shoe rack", 5200},
		{"CANDLE-BEES-4", "four beeswax candles", 1900},
		{"TRAIN-WOOD-1", "wooden train set", 6200},
		{"KETTLE-ENAM-1", "enamel kettle", 5700},
		{"CURTAIN-LIN-2", "pair of linen curtains", 9800},
		{"PLANTER-ZINC-1", "zinc planter", 4400},
		{"NOTEBOOK-A5-3", "three A5 notebooks", 2100},
	}
	// complaints take the item's title.
	complaints = []struct{ subject, text string }{
		{"The %s arrived broken", "Hello, I opened the parcel this morning and the %s is broken. I can send photos. What happens now?"},
		{"Wrong colour: %s", "Hi, I ordered the %s and the colour is not the one on your page at all. I would like to send it back."},
		{"Where is my %s?", "The tracking page has said \"out for delivery\" for four days and there is still no %s. Can you find it?"},
		{"Scratches on the %s", "There are deep scratches on the %s. I could keep it if part of the price came back to me."},
		{"Parts missing for the %s", "I was putting the %s together and two screws and a bracket are missing. Can the seller send them?"},
		{"Return of the %s", "I have changed my mind about the %s. It is unused and still in its box. Could somebody collect it?"},
		{"The %s came twice", "Two parcels came, each with the %s, though I ordered it once. Was I charged twice?"},
		{"Smell from the %s", "The %s has a strong smell of varnish that will not go away. Is that normal?"},
		{"The %s is smaller than described", "I measured the %s and it is a good deal smaller than your page says. What can you offer?"},
		{"Can the %s be exchanged?", "The %s is nice but I need another size. Can I exchange it, and who pays for the courier?"},
		{"Late delivery of the %s", "The %s was a birthday present and came a week late. I am quite disappointed."},
		{"Question about the %s", "Before I throw the packaging away: does the %s come with a guarantee?"},
	}
	ticketStates = []string{"open", "open", "open", "pending", "open", "open", "open", "solved", "open", "pending"}
)

// generatedSeed is the same every time: it has no randomness, only strides that
// share no factor with what they walk over.
func generatedSeed() marketplace {
	var m marketplace
	for i := 1; i <= generated; i++ {
		seller := generatedSeller(i)
		order := generatedOrder(i, seller.id)
		m.sellers = append(m.sellers, seller)
		m.orders = append(m.orders, order)
		m.tickets = append(m.tickets, generatedTicket(i, order))
	}
	return m
}

func generatedSeller(i int) seedSeller {
	name := sellerNames[(i-1)%len(sellerNames)]
	trade := sellerTrades[(i-1)/len(sellerNames)]
	return seedSeller{
		id:    "S-" + strings.ToUpper(name+"-"+trade),
		name:  name + " " + trade,
		cents: 12000 + int64(i*7919%1800)*100,
	}
}

func generatedOrder(i int, sellerID string) seedOrder {
	o := seedOrder{id: fmt.Sprintf("SU-%d", 90000+i), buyerID: fmt.Sprintf("B-%d", 3000+i), currency: "USD"}
	switch {
	case i == 150:
		o.currency = "JPY"
	case i%25 == 7:
		o.currency = "EUR"
	}
	for k := range 1 + i%3 {
		p := products[(i*7+k*5)%len(products)]
		quantity := 1
		if (i+k)%5 == 0 {
			quantity = 2
		}
		o.items = append(o.items, seedItem{p.id, p.title, quantity, p.cents * int64(quantity), sellerID})
	}
	return o
}

func generatedTicket(i int, o seedOrder) seedTicket {
	c := complaints[i*5%len(complaints)]
	title := o.items[0].title
	return seedTicket{
		id: fmt.Sprintf("T-%d", 5000+i), buyerID: o.buyerID, orderID: o.id,
		subject: fmt.Sprintf(c.subject, title),
		text:    fmt.Sprintf(c.text, title),
		status:  ticketStates[i%len(ticketStates)],
		at:      time.Date(2026, time.March, 1, 8, 0, 0, 0, time.UTC).Add(time.Duration(i) * 97 * time.Minute),
	}
}
