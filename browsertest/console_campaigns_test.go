package browsertest

import (
	"testing"

	"slipway/internal/testkit/assert"
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
		b.set("Subject", "Sale at {dealership}")
		b.set("Text*", "Hi {first_name}, come by.")
		b.submit()
		b.read("needs other words for people without a value")
		b.set("Text*", "Hi {first_name|there}, come by.")
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

// A lead shows its plan, with what happened and what comes next. It can be stopped, and started again.
func TestConsolePlan(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		s.Test.Post("/v2-preview/follow_up_plans", `{"name":"Web leads","sources":["web"],"steps":[
			{"day":0,"kind":"task","body":"Call {first_name|the customer}"},
			{"day":3,"kind":"email","subject":"Your boat","body":"Hi {first_name|there}, are you still looking?"}]}`, 201, nil)
		lead := s.Test.Lead(map[string]any{"source": "web", "contact_id": s.Test.Contact(map[string]any{"first_name": "Ann", "last_name": "Bell"})})
		b := ownerAt(t, s, "leads/"+lead)
		b.read("Follow-up plan")
		b.read("Day 3: Email")
		b.read("Call Ann")
		b.review("console-lead-plan")
		b.button("Stop plan")
		b.read("Plan stopped.")
		b.read("Stopped: manually")
		b.until(`[...document.querySelectorAll(".ctx h2 button")].some((e) => e.innerText === "Start")`, "the button to start a plan")
		b.js(`[...document.querySelectorAll(".ctx h2 button")].find((e) => e.innerText === "Start").click()`)
		b.dialog()
		b.wantDialogFits("the form to start a plan")
		b.press("\r")
		b.submit()
		b.read("Plan started.")
		b.read("Running")
	})
}

// A plan is made with the keyboard, changed, turned off and deleted.
func TestConsolePlans(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		b := ownerAt(t, s, "leads/plans")
		b.read("No follow-up plans yet.")
		b.button("New plan")
		b.dialog()
		b.press("Website leads")
		b.button("Add step")
		b.see(`dialog [name="steps[1].body"]`)
		b.option("What happens", "email")
		b.see(`dialog [name="steps[1].subject"]`)
		b.set("Subject", "Hello {first_name}")
		b.wantDialogFits("the form of a plan")
		b.review("console-plan-form")
		b.submit()
		b.read("needs other words for people without a value")
		b.set("Subject", "Your boat")
		b.submit()
		b.read("Plan saved.")
		b.read("Day 0: text, Day 1: email")
		b.review("console-plans")

		var all struct {
			Data []struct {
				ID      string
				Active  bool
				Sources []string
			}
		}
		s.Test.Get("/v2-preview/follow_up_plans", 200, &all)
		assert.Equal(t, all.Data[0].Sources, []string{"web"})
		b.button("Actions for Website leads")
		b.button("Turn off")
		b.read("Plan turned off.")
		s.Test.Get("/v2-preview/follow_up_plans", 200, &all)
		assert.Equal(t, all.Data[0].Active, false)
		b.button("Website leads")
		b.dialog()
		b.button("Remove step 2")
		b.submit()
		b.read("1 step")
	})
}
