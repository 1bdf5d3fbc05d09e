package browsertest

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// A campaign is written with the keyboard. Its preview says who gets it and who doesn't, and after the
// start, the results say the same.
func TestConsoleCampaign(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		ann, _ := addLead(s, map[string]any{"first_name": "Ann", "last_name": "Bell"})
		s.Test.Post("/v1/leads/"+ann+"/consents", consented, 201, nil)
		addLead(s, map[string]any{"first_name": "Ben", "last_name": "Cole"})
		s.Test.Patch("/v1/dealership", `{"postal_address":{"line1":"1 Dock Street","city":"Annapolis","country":"US"}}`, 200, nil)

		b := ownerAt(t, s, "leads/campaigns")
		b.read("No campaigns yet.")
		b.review("console-campaigns")
		b.button("New campaign")
		b.dialog()
		b.press("Spring sale")
		b.option("Channel", "email")
		b.see(`dialog [name="subject"]`)
		b.run(chromedp.SendKeys(`dialog [name="subject"]`, "Sale at {dealership}"), chromedp.SendKeys(`dialog [name="body"]`, "Hi {first_name}, come by."))
		b.submit()
		b.read("needs other words for people without a value")
		b.run(chromedp.SetValue(`dialog [name="body"]`, ""), chromedp.SendKeys(`dialog [name="body"]`, "Hi {first_name|there}, come by."))
		b.wantDialogFits("the form of a campaign")
		b.submit()

		b.read("Would get it now")
		b.read("The recipient gave no consent. Record one first.")
		b.read("Hi Ann, come by.")
		b.review("console-campaign-preview")
		b.button("Start")
		b.dialog()
		b.read("Send to 1 person?")
		b.submit()
		b.read("Campaign started.")
		b.until(`document.body.innerText.includes("Completed")`, "the end of the campaign")
		b.read("No consent")
		b.review("console-campaign-results")
	})
}
