package app

import (
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

// connect is how other systems get access.
func (st *story) connect(desk *teller) {
	var key, successor, oauth, connection ref
	desk.does("createApiKey", object{"name": "Website", "scopes": []string{"hulls:read"}, "rate_limit": 50}, &key)
	desk.does("getApiKey", nil, nil, key.ID)
	desk.does("rotateApiKey", object{}, &successor, key.ID)
	desk.does("revokeApiKey", nil, nil, key.ID)
	desk.does("listApiKeys", nil, nil, "?limit=2")

	desk.does("createApp", object{
		"name": "Fleet Sync", "type": "confidential", "redirect_uris": []string{"https://fleetsync.example.com/callback"},
		"scopes": []string{"hulls:read", "deals:read"}, "homepage_url": "https://fleetsync.example.com",
	}, &oauth)
	desk.does("updateApp", object{"redirect_uris": []string{"https://fleetsync.example.com/oauth/callback"}}, nil, oauth.ID)
	desk.does("rotateAppSecret", object{"expire_old": true}, nil, oauth.ID)
	desk.does("getApp", nil, nil, oauth.ID)
	desk.does("listApps", nil, nil)
	install := desk.Install(oauth.ID)
	desk.does("listInstalls", nil, nil)
	desk.does("revokeInstall", nil, nil, install)
	desk.does("deleteApp", nil, nil, oauth.ID)

	desk.does("createSsoConnection", object{
		"name": "Acme Okta", "issuer": "https://acme.example.com", "client_id": "0oa1b2c3d4", "client_secret": "a secret of the provider",
		"domains": []string{"example.com"}, "jit": true, "default_role_id": st.s.RoleID("viewer"),
		"group_mapping": []object{{"group": "Boat Sales", "role_id": st.s.RoleID("sales")}},
	}, &connection)
	desk.does("updateSsoConnection", object{"support_contact": "it@example.com"}, nil, connection.ID)
	desk.does("getSsoConnection", nil, nil, connection.ID)
	desk.does("listSsoConnections", nil, nil)
	desk.does("deleteSsoConnection", nil, nil, connection.ID)
}

// secure is how a user signs in and adds a two-factor method.
func (st *story) secure(desk *teller) {
	st.s.Activate(st.ben)
	var session struct{ Token string }
	anyone := st.teller(st.s.As(""))
	anyone.does("forgotPassword", object{"email": "ben@example.com", "environment": "test"}, nil)
	anyone.does("signIn", object{"email": "ben@example.com", "password": testkit.Password, "environment": "test"}, &session)
	ben := st.teller(st.s.As(session.Token))
	var factor struct{ ID, Secret string }
	ben.does("enrollMfaFactor", object{"kind": "totp", "label": "Phone"}, &factor, st.ben)
	ben.does("verifyMfaFactor", object{"code": st.s.Code(factor.Secret)}, nil, st.ben, factor.ID)
	desk.does("listAudit", nil, nil, "?action=deal.&limit=2")

	owner := st.s.OwnerSession(auth.Test)
	boss := st.teller(owner.Client.With("MFA-Token", owner.OwnProof()))
	boss.does("deleteMfaFactor", nil, nil, st.ben, factor.ID)

	st.s.Activate(st.ben)
	anyone.does("signIn", object{"email": "ben@example.com", "password": testkit.Password, "environment": "test"}, &session)
	ben = st.teller(st.s.As(session.Token))
	ben.does("changePassword", object{"old_password": testkit.Password, "new_password": "five boats on a lake"}, nil)
	anyone.does("signIn", object{"email": "ben@example.com", "password": "five boats on a lake", "environment": "test"}, &session)
	st.teller(st.s.As(session.Token)).does("signOut", nil, nil)
	anyone.does("signIn", object{"email": "ben@example.com", "password": "five boats on a lake", "environment": "test"}, &session)
	var sessions struct{ Data []ref }
	desk.does("listSessions", nil, &sessions, "?limit=1")
	desk.does("revokeSession", nil, nil, sessions.Data[0].ID)
}

// notify is how other systems hear about changes.
func (st *story) notify(desk *teller) {
	stop := st.s.RunRelay() // publishes the events of the story so far
	st.s.WaitForRelay()
	stop()
	var hook ref
	desk.does("createWebhook", object{
		"url": st.receiver.URL + "/hooks/slipway", "events": []string{"hull.*", "deal.accepted"}, "description": "Accounting",
	}, &hook)
	desk.does("updateWebhook", object{"events": []string{"hull.*", "deal.*"}}, nil, hook.ID)
	desk.does("rotateWebhookSecret", object{"overlap_hours": 24}, nil, hook.ID)
	var delivery struct {
		ID      string
		EventID string `json:"event_id"`
	}
	desk.does("testWebhook", nil, &delivery, hook.ID)
	st.deliverTo(delivery.ID, "succeeded")
	desk.does("getDelivery", nil, nil, hook.ID, delivery.ID)
	desk.does("listDeliveries", nil, nil, hook.ID, "?limit=1")
	desk.does("getWebhook", nil, nil, hook.ID)
	desk.does("listWebhooks", nil, nil)
	desk.does("getEvent", nil, nil, delivery.EventID)
	desk.does("listEvents", nil, nil, "?type=deal.accepted&limit=1")

	st.fails.Store(true)
	desk.does("testWebhook", nil, &delivery, hook.ID)
	st.deliverTo(delivery.ID, "pending")
	// The last attempt is three days later.
	st.s.Exec(`UPDATE deliveries SET status = 'dead', due_at = NULL WHERE id = ?`, delivery.ID)
	st.fails.Store(false)
	desk.does("listDeadLetters", nil, nil, hook.ID)
	desk.does("drainDeadLetters", object{"action": "redeliver"}, nil, hook.ID)
	desk.does("retryDelivery", nil, nil, hook.ID, delivery.ID)
	desk.does("replayEvents", object{"since": "2026-12-01T00:00:00Z", "types": []string{"deal.*"}}, nil, hook.ID)
	desk.does("deleteWebhook", nil, nil, hook.ID)
}

// deliverTo runs the relay until a delivery had an attempt and has the status.
func (st *story) deliverTo(delivery, status string) {
	st.t.Helper()
	stop := st.s.RunRelay()
	defer stop()
	assert.Eventually(st.t, "an attempt of the delivery", func() bool {
		rows := testkit.Rows[string](st.s, `SELECT status FROM deliveries WHERE id = ? AND attempt_count > 0`, delivery)
		return len(rows) == 1 && rows[0] == status
	})
}
