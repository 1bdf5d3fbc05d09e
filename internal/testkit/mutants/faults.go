package main

// faults are mistakes that were made somewhere, here or elsewhere. Add one for each defect
// that no test found.
var faults = []fault{
	// money
	{
		"reversed payment without event and audit entry", "internal/finance/payment_store.go",
		"	return events.Emit(ctx, tx, event, p.ID, events.Change{After: *p})",
		"	if p.Type == Reversed {\n\t\treturn nil\n\t}\n\treturn events.Emit(ctx, tx, event, p.ID, events.Change{After: *p})",
		"./tests/app", "TestWhatChangesLeave",
	},
	{
		"refund exceeds what is left of the payment", "internal/finance/payment.go",
		"*r.AmountCents > remaining:", "*r.AmountCents > p.AmountCents:", "./internal/finance", "TestRefundsNeverExceed",
	},
	{
		"percentage cut off and not rounded", "internal/vocab/money/money.go",
		".DivRound(decimal.NewFromInt(100), 0).IntPart()", ".Div(decimal.NewFromInt(100)).IntPart()", "./internal/vocab/money", "Test",
	},
	{
		"floor not checked", "internal/deals/hull_store.go",
		"if d.netPriceCents() >= *floor*100 {", "if true {", "./tests/sales", "TestSellBelowTheFloor",
	},

	// consent
	{
		"consent not checked again at sending", "internal/messages/message_jobs.go",
		"		v := check(t)\n", "		v := decision{}\n", "./tests/crm", "TestQuietHoursHold|TestHeldWhenDue|TestConsentCheck",
	},
	{
		"opt-out ignored for an inquiry", "internal/messages/send_check.go",
		"a.inquired && a.standing.Code != consent.CodeRevoked", "a.inquired", "./internal/messages", "TestSendCheck",
	},
	{
		"quiet hours ignored", "internal/messages/send_check.go",
		"if d.code != \"\" || !a.isQuiet() {", "if d.code != \"\" || !a.isQuiet() || a.quiet.end > 0 {", "./tests/crm", "TestQuietHoursHold",
	},
	{
		"quiet hours end a minute late", "internal/messages/quiet.go",
		"return m >= q.start || m < q.end\n", "return m >= q.start || m <= q.end\n", "./internal/messages", "TestQuietHours",
	},
	{
		"revocation lost in a merge", "internal/contacts/merge_store.go",
		"if err := consent.CopyRevocations(ctx, tx, c.ID, m); err != nil {", "if err := error(nil); m.From == \"never\" {", "./tests/crm", "TestRevocationSurvivesMerge",
	},

	// credentials
	{
		"proof not required", "internal/identity/people/proof_actions.go",
		"	if userID == \"\" {\n", "	if false {\n", "./tests/app", "TestAdminRequiresProof",
	},
	{
		"expired key accepted", "internal/identity/access/key.go",
		"	case k.ExpiresAt != nil && !now.Before(*k.ExpiresAt) && k.RotatedTo == nil:\n		return fault.Unauthenticated(\"This API key has expired.\")\n", "",
		"./internal/identity/access", "TestCheckKey",
	},
	{
		"revoked key accepted", "internal/identity/access/key.go",
		"	case k.RevokedAt != nil:\n		return fault.Unauthenticated(\"This API key was revoked.\")\n", "", "./internal/identity/access", "TestCheckKey",
	},
	{
		"scope not checked", "internal/platform/rest/permit.go",
		"if op.Needs.Allows(caller.Scopes) {", "if len(caller.Scopes) > 0 {", "./tests/app", "TestIsolation/sqlite/(getHull|updateHull)$",
	},
	{
		"code of an authenticator app works twice", "internal/identity/access/secret.go",
		" == 1 && step > last {", " == 1 && step >= last {", "./internal/identity/access", "TestMatchTOTP",
	},
	{
		"code of an app works twice", "internal/identity/oauth/token_store.go",
		"WHERE env = ? AND id = ? AND used_at IS NULL`, tx.Now, g.Env, g.ID)", "WHERE env = ? AND id = ?`, tx.Now, g.Env, g.ID)",
		"./tests/identity", "TestOAuthAttacks",
	},
	{
		"PKCE not checked", "internal/identity/oauth/grant.go",
		"return verifierFormat.MatchString(verifier) && subtle.ConstantTimeCompare([]byte(got), []byte(challenge)) == 1",
		"return verifierFormat.MatchString(verifier) || subtle.ConstantTimeCompare([]byte(got), []byte(challenge)) == 1",
		"./internal/identity/oauth", "TestVerifyPKCE",
	},
	{
		"signature of a received message not checked", "internal/messages/hook_endpoints.go",
		"	if !own && !shared {\n", "	if !own && !shared && given == \"\" {\n", "./tests/crm", "TestForgedTwilioSignature",
	},
	{
		"signature of a webhook not checked", "internal/messages/hook_endpoints.go",
		"if err := signature.Verify(key, h, body, a.DB.Now()); err != nil {", "if err := signature.Verify(key, h, body, a.DB.Now()); err != nil && h.Signature == \"\" {",
		"./tests/crm", "TestForgedAndReplayedEmail",
	},
	{
		"rate limit not counted", "internal/platform/ratelimit/ratelimit.go",
		"b.full, b.took, b.need, b.step = after,", "b.full, b.took, b.need, b.step = now,", "./internal/platform/ratelimit", "TestTake",
	},

	// requests
	{
		"environment missing in a query", "internal/platform/db/table.go",
		"return t.one(ctx, tx, id, \"env = ? AND id = ?\", tx.Env, id)", "return t.one(ctx, tx, id, \"env > 0 AND id = ?\", id)",
		"./tests/app", "TestIsolation/sqlite/(getHull|getContact)$",
	},
	{
		"cursor off by one", "internal/platform/db/list.go", "ahead, order := \" < ?\", \" DESC\"", "ahead, order := \" <= ?\", \" DESC\"",
		"./tests/app", "TestAllPages",
	},
	{
		"has_more off by one", "internal/vocab/page/page.go", "HasMore: len(rows) > q.Limit}", "HasMore: len(rows) >= q.Limit}",
		"./internal/vocab/page", "Test",
	},
	{
		"archived hulls listed", "internal/hulls/search_store.go", "		w.And(\"h.archived_at IS NULL\")\n", "", "./tests/inventory", "TestFiltersMatchScan|TestFilters",
	},
	{
		"If-Match not compared", "internal/platform/rest/if_match.go", "m.header == \"\" || m.header == \"*\" ||", "m.header == \"\" || m.checked ||",
		"./tests/app", "TestIfMatchIsCheckedWhereDocumented",
	},
	{
		"idempotency key used for another request", "internal/platform/rest/write.go",
		"if !bytes.Equal(first.Fingerprint, x.fingerprint) {", "if !bytes.Equal(first.Fingerprint, x.fingerprint) && len(first.Body) == 0 {",
		"./tests/app", "TestReusedKey",
	},
	{
		"idempotency key stored late", "internal/platform/rest/write.go", "				err = x.keep(ctx, tx, p)\n",
		"				tx.AfterCommit(func() {\n\t\t\t\t\t_, _ = db.Write(context.WithoutCancel(ctx), d, func(ctx context.Context, tx *db.Tx) (int, error) { return 0, x.keep(ctx, tx, p) })\n\t\t\t\t})\n",
		"./tests/platform", "TestKeyIsStoredWithTheWrite",
	},

	// the database
	{
		"fsync off", "internal/platform/db/db.go", "_pragma=synchronous(FULL)\"", "_pragma=synchronous(OFF)\"", "./tests/app", "TestResponsesAfterSync",
	},
	{
		"fsync only at checkpoints", "internal/platform/db/db.go", "_pragma=synchronous(FULL)\"", "_pragma=synchronous(NORMAL)\"",
		"./tests/app", "TestResponsesAfterSync",
	},
	{
		"answer before commit", "internal/platform/db/group.go", "	<-b.done\n	if b.err != nil {", "	if b.err != nil {",
		"./tests/platform", "TestWritersReturnAfterCommit",
	},
	{
		"rejected writer not rolled back", "internal/platform/db/group.go", "if back := errors.Join(b.exec(\"ROLLBACK TO writer\"), b.exec(\"RELEASE writer\")); back != nil {",
		"if back := b.exec(\"RELEASE writer\"); back != nil {", "./tests/platform", "TestSharedTransactions",
	},
	{
		"audit entry missing", "internal/platform/events/events.go",
		"	if err := audit.Record(ctx, tx, name, objectID, audit.Diff(c.Before, c.After)); err != nil {", "	if err := error(nil); err != nil {",
		"./tests/app", "TestWhatChangesLeave",
	},

	// jobs and events
	{
		"event lost after its claim", "internal/webhooks/delivery_store.go", "(lease_until IS NULL OR lease_until <= ?)", "(lease_until IS NULL OR lease_until > ?)",
		"./tests/platform", "TestDelivery|TestDeadLetter|TestTwoNodes|TestStop|TestRelayAfterKill",
	},
	{
		"event delivered for a scope that was removed", "internal/webhooks/turn_actions.go", "if i < 0 || !t.relay.kinds.allow(found[i].Type, w) {", "if i < 0 {",
		"./tests/platform", "TestReplayAfterScopesWereRemoved|TestWebhookTakenOverWithFewerScopes",
	},
	{
		"job run twice: message sent again after a kill", "internal/messages/message_jobs.go",
		"		case m.LeaseUntil != nil:\n", "		case m.LeaseUntil != nil && m.Attempts > 1:\n", "./tests/crm", "TestMessageAfterKill|TestSendOnce",
	},
	{
		"hold released before it ends", "internal/hulls/hold_jobs.go", " || tx.Now.Before(h.Hold.ExpiresAt) {", " {", "./tests/inventory", "TestHoldExpires|TestHoldJobRuns",
	},
	{
		"message in quiet hours sent twice", "internal/messages/message_jobs.go", "if err != nil || !m.isPending() {", "if err != nil {", "./tests/crm", "TestSendOnce",
	},
	{
		"webhook reaches a private address", "internal/platform/outbound/outbound.go", "|| !allowPrivate && guard.Safe(", "|| !allowPrivate && address == \"\" && guard.Safe(",
		"./tests/platform", "TestPrivateAddress|TestPrivateAddresses",
	},
}
