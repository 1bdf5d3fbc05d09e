package demo

import "fmt"

// pick returns a random element.
func (b *boat) pick(from ...string) string { return from[b.random.IntN(len(from))] }

// classicBefore is the model year before which a title doesn't mention engine hours.
const classicBefore = 2010

func (b *boat) title() string {
	return fmt.Sprintf("%d %s %s, %s", b.year, b.model["make"], b.model["model"], b.tagline())
}

// tagline returns the end of the title.
func (b *boat) tagline() string {
	switch {
	case b.condition == "order":
		return b.pick("arriving soon", "reserve now", "next on the truck")
	case b.condition == "new":
		return b.pick("in stock", "ready for delivery", "boat show special", "full warranty")
	case b.condition == "demo":
		return "dealer demo with full warranty"
	case b.model.isPaddled():
		return b.pick("lightly used", "stored indoors", "local trade")
	case b.year < classicBefore:
		return b.pick("well kept", "clean survey", "refitted", "just serviced")
	case b.model.isSail():
		return b.pick("one owner", "new sails", "clean survey", "local trade")
	}
	return b.pick("one owner", "low hours", "lift kept", "just serviced", "new electronics", "local trade")
}

func (b *boat) description() string {
	second := ""
	switch {
	case b.condition == "order":
		second = b.pick("On order from the factory. You can still choose options.", "Built to our specifications for spring.")
	case b.condition == "new":
		second = b.pick("Rigged by our yard and ready to go.", "See it in our showroom.", "Ask for a sea trial.")
	case b.condition == "demo":
		second = "Used for sea trials only and priced to move."
	case *b.model.number("loa") < 18:
		second = b.pick("Checked over by our yard.", "A trade-in in good condition.")
	default:
		second = b.pick("Compounded, waxed and sea-trialed by our yard.", "Service records on file.",
			"Surveyed this year. Report available on request.")
	}
	return b.model["pitch"] + " " + second
}

// highlights returns two highlights.
func (b *boat) highlights() []string {
	from := []string{
		"Garmin 12-inch chartplotter", "Hardtop with rod holders", "Trim tabs with indicators",
		"Freshwater washdown", "Underwater lights", "Mooring cover",
	}
	switch {
	case b.model.isSail():
		from = []string{"New standing rigging", "Mainsail cover", "Tiller extension and new sheets", "Furling genoa", "Spinnaker with sock"}
	case b.model["class"] == "power-pwc":
		from = []string{"Reverse and brake", "Bluetooth speakers", "Cover included", "Learner key"}
	case b.model.isPaddled():
		from = []string{"Paddle included", "Adjustable seat", "Transport wheels"}
	}
	i := b.random.IntN(len(from) - 1)
	return from[i : i+2]
}
