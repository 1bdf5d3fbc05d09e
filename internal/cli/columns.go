package cli

// columns are the columns of tables, by type: the field, and the header after a colon. What
// follows a slash is only in wide tables, which also have the ID.
var columns = map[string]string{
	"Hull":             "stock_number:STOCK year+make+model:BOAT status location_id days_in_stock:DAYS price_usd / hin condition length_ft:LENGTH photo_count:PHOTOS version updated_at",
	"HullPhoto":        "id position is_primary:PRIMARY state width height bytes caption / created_at",
	"HullChange":       "at from to location_id reason actor",
	"PriceChange":      "at old_price_usd:OLD new_price_usd:NEW reason actor",
	"Channel":          "id name kind format auto_publish / feed_url push_url created_at",
	"HullSyndication":  "channel_id state action code message published_at / url updated_at",
	"HullImport":       "id state rows created updated unchanged failed skipped / problem created_at finished_at",
	"Contact":          "id first_name+last_name+company_name:NAME email phone tags created_at / kind timezone version",
	"Consent":          "id address channels direction scope basis captured_at / method source expires_at",
	"Lead":             "id status source contact_id hull_id owner_id last_activity_at / score needs_review location_id created_at version",
	"LeadMessage":      "created_at direction channel status body / id from to purpose block_reason",
	"LeadSignal":       "occurred_at kind value hull_id / id source",
	"LeadAssignment":   "at from to method reason actor",
	"Deal":             "number status deal_type:TYPE buyer_id hull_id offer_usd created_at / owner_id funding_state version",
	"Offer":            "id amount_usd made_by status expires_at created_at / note",
	"DealChange":       "at from to reason actor",
	"TradeIn":          "id year+make+model:BOAT hin allowance_cents payoff_cents equity_cents / acv_cents lienholder",
	"FinanceStructure": "id name lender term_months:MONTHS apr_percent:APR amount_financed_cents:FINANCED payment_cents selected / created_at",
	"Funding":          "id status lender requested_cents:REQUESTED amount_cents funded_at / deal_id reference reason",
	"Payment":          "id type kind method amount_cents status received_on / deal_id reference reason",
	"Document":         "id number kind title status signed_at / deal_id page_count:PAGES size_bytes created_at",
	"Location":         "id name code phone timezone / created_at version",
	"User":             "id name email status roles last_seen_at / takes_leads created_at version",
	"DirectoryUser":    "id name active",
	"Role":             "id name built_in scopes / created_at version",
	"AuditEntry":       "at action outcome actor target ip / request_id",
	"APIKey":           "id name prefix scopes last_used_at expires_at / uses_24h:REQUESTS created_at created_by.label:BY revoked_at",
	"Session":          "id user_id method ip last_seen_at / user_agent expires_at",
	"App":              "id name type scopes created_at / client_id redirect_uris",
	"Install":          "id app environment scopes last_used_at / user_id created_at",
	"Connection":       "id name protocol domains enforce / issuer created_at",
	"Webhook":          "id url status events health / description failing_since created_at",
	"Delivery":         "id event_type status attempt_count:ATTEMPTS next_attempt_at / event_id is_replay delivered_at",
	"Event":            "id type created_at data.object.id:OBJECT / sequence",
	"EventWithActor":   "id type created_at data.object.id:OBJECT actor / sequence",
	"Appointment":      "id starts_at kind title status user_id / contact_id hull_id location_id duration_minutes:MINUTES",
	"Activity":         "id kind body user_id due_at done_at / object_id created_at",
	"TimelineEntry":    "at type object actor / object_id",
	"Proposal":         "id status preview.summary:PROPOSAL preview.title:OBJECT proposed_by created_at / operation_id reason for_user_id expires_at decided_by",
	"RequestLog":       "created_at status method path duration_ms:MS actor / id operation ip",
}

// usual are the fields that tables of other types show.
var usual = []string{
	"id", "number", "name", "title", "email", "type", "kind", "channel", "status", "state", "amount_cents", "amount_usd", "at", "created_at",
}
