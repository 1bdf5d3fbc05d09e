package demo

import "fmt"

// pick chooses one.
func (b *boat) pick(from ...string) string { return from[b.luck.IntN(len(from))] }

// old is where a used boat is praised for its care and not for its hours.
const old = 2010

func (b *boat) title() string {
	return fmt.Sprintf("%d %s %s, %s", b.year, b.model["make"], b.model["model"], b.praise())
}

// praise is what stands behind the name in a listing.
func (b *boat) praise() string {
	switch {
	case b.condition == "order":
		return b.pick("arriving soon", "reserve now", "next on the truck")
	case b.condition == "new":
		return b.pick("in stock", "ready for delivery", "boat show special", "full warranty")
	case b.condition == "demo":
		return "dealer demo with full warranty"
	case b.model.paddled():
		return b.pick("lightly used", "stored indoors", "local trade")
	case b.year < old:
		return b.pick("well kept", "clean survey", "refitted", "just serviced")
	case b.model.sails():
		return b.pick("one owner", "new sails", "clean survey", "local trade")
	}
	return b.pick("one owner", "low hours", "lift kept", "just serviced", "new electronics", "local trade")
}

func (b *boat) description() string {
	second := ""
	switch {
	case b.condition == "order":
		second = b.pick("On order from the factory; options can still be chosen.", "Built to our own specification for the spring.")
	case b.condition == "new":
		second = b.pick("Rigged by our own yard and ready to go.", "Come and see her in the showroom.", "Ask for a sea trial.")
	case b.condition == "demo":
		second = "Used for sea trials only and priced to move."
	case *b.model.number("loa") < 18:
		second = b.pick("Checked over by our yard.", "A trade-in in good order.")
	default:
		second = b.pick("Compounded, waxed and sea-trialed by our yard.", "Service records on file.", "Surveyed this year; report on request.")
	}
	return b.model["pitch"] + " " + second
}

// highlights are two neighbors of a list.
func (b *boat) highlights() []string {
	from := []string{"Garmin 12-inch chartplotter", "Hardtop with rod holders", "Trim tabs with indicators", "Freshwater washdown", "Underwater lights", "Mooring cover"}
	switch {
	case b.model.sails():
		from = []string{"New standing rigging", "Mainsail cover", "Tiller extension and new sheets", "Furling genoa", "Spinnaker with sock"}
	case b.model["class"] == "power-pwc":
		from = []string{"Reverse and brake", "Bluetooth speakers", "Cover included", "Learner key"}
	case b.model.paddled():
		from = []string{"Paddle included", "Adjustable seat", "Transport wheels"}
	}
	i := b.luck.IntN(len(from) - 1)
	return from[i : i+2]
}
