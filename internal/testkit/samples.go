package testkit

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"image/png"
	"maps"
	"slices"
	"time"

	"github.com/pquerna/otp/totp"

	"slipway/internal/photos"
	"slipway/internal/platform/jobs"
	"slipway/internal/vocab/auth"
)

// Location creates a location and returns its ID.
func (c *Client) Location() string {
	c.server.t.Helper()
	var l struct{ ID string }
	c.Post("/v1/locations", map[string]any{"name": "Harbor East"}, 201, &l)
	return l.ID
}

// LoggedRequest sends a request that fails and returns its ID in the request log.
func (c *Client) LoggedRequest() string {
	c.server.t.Helper()
	res := c.Post("/v1/locations", map[string]any{"nope": 1}, 400, nil)
	check(c.server.t, c.server.Settle(context.Background()))
	return res.Header.Get("Request-Id")
}

// HullBody returns the request body of a new hull at a location, with changes.
func HullBody(location string, changes map[string]any) map[string]any {
	body := map[string]any{
		"make": "Grady-White", "model": "Freedom 235", "year": 2024, "length_ft": 23.58, "price_usd": 124900,
		"location_id": location, "hin": fmt.Sprintf("GRT%05dB324", copies.Add(1)%100_000),
	}
	maps.Copy(body, changes)
	return body
}

// Hull creates a hull at a location and returns its ID.
func (c *Client) Hull(location string, changes map[string]any) string {
	c.server.t.Helper()
	var h struct{ ID string }
	c.Post("/v1/hulls", HullBody(location, changes), 201, &h)
	return h.ID
}

// Contact creates a contact and returns its ID.
func (c *Client) Contact(changes map[string]any) string {
	c.server.t.Helper()
	n := copies.Add(1)
	body := map[string]any{
		"first_name": "Ann", "last_name": "Bell",
		"email": fmt.Sprintf("ann%d@example.com", n), "phone": fmt.Sprintf("+1410555%04d", n%10_000),
	}
	maps.Copy(body, changes)
	var created struct{ ID string }
	c.Post("/v1/contacts", body, 201, &created)
	return created.ID
}

// Lead creates a lead and returns its ID. Unless the changes contain a contact,
// it creates one.
func (c *Client) Lead(changes map[string]any) string {
	c.server.t.Helper()
	body := map[string]any{"source": "web", "interest": "A center console"}
	maps.Copy(body, changes)
	if body["contact_id"] == nil && body["contact"] == nil {
		body["contact_id"] = c.Contact(nil)
	}
	var created struct{ ID string }
	c.Post("/v1/leads", body, 201, &created)
	return created.ID
}

// UnknownMessage creates a message that might have been sent.
func (c *Client) UnknownMessage() string {
	c.server.t.Helper()
	lead := c.Lead(nil)
	c.Post("/v1/leads/"+lead+"/consents", `{"channels": ["sms"], "scope": "all"}`, 201, nil)
	var m struct{ ID string }
	c.Post("/v1/leads/"+lead+"/messages", map[string]any{
		"channel": "sms", "purpose": "transactional", "body": "She is ready.", "send_at": c.server.DB.Now().Add(time.Hour), // no job sends it
	}, 202, &m)
	c.server.Exec(`UPDATE messages SET status = 'unknown', scheduled_for = NULL, attempts = 1, error_code = 'unanswered' WHERE id = ?`, m.ID)
	return m.ID
}

// QuarantinedMessage creates a message of a new sender that waits in quarantine.
func (c *Client) QuarantinedMessage() string {
	c.server.t.Helper()
	limit := func(n int) {
		c.Patch("/v1/dealership", map[string]any{"settings": map[string]any{"inbound": map[string]any{"new_senders_per_hour": n}}}, 200, nil)
	}
	limit(1)
	for range 2 { // the second is too many
		n := Rows[int64](c.server, `SELECT COUNT(*) FROM received_messages`)[0]
		c.Post("/v2-preview/inbound_messages", map[string]any{
			"channel": "email", "from": fmt.Sprintf("sender%d@example.com", n), "subject": "Your boat", "body": "Is she available?",
			"provider_message_id": fmt.Sprint("email", n), "authentication": map[string]any{"spf": "pass", "dkim": "none", "dmarc": "fail"},
		}, 200, nil)
	}
	limit(60)
	var list struct{ Data []struct{ ID string } }
	c.Get("/v2-preview/quarantined_messages?limit=1", 200, &list)
	return list.Data[0].ID
}

// DealBody returns the request body of a new deal, with changes. Unless they
// contain a hull and a buyer, it creates them.
func (c *Client) DealBody(changes map[string]any) map[string]any {
	c.server.t.Helper()
	body := map[string]any{"offer_usd": 118000}
	maps.Copy(body, changes)
	if body["hull_id"] == nil {
		body["hull_id"] = c.Hull(c.Location(), nil)
	}
	if body["buyer_id"] == nil {
		body["buyer_id"] = c.Contact(nil)
	}
	return body
}

// Deal creates a deal and returns its ID.
func (c *Client) Deal(changes map[string]any) string {
	c.server.t.Helper()
	var d struct{ ID string }
	c.Post("/v1/deals", c.DealBody(changes), 201, &d)
	return d.ID
}

// AcceptedDeal creates a deal, accepts its opening offer and returns its ID.
func (c *Client) AcceptedDeal(changes map[string]any) string {
	c.server.t.Helper()
	deal := c.Deal(changes)
	c.Post("/v1/deals/"+deal+"/offers/"+c.OpeningOffer(deal)+"/accept", nil, 200, nil)
	return deal
}

// OpeningOffer returns the ID of the oldest offer of a deal.
func (c *Client) OpeningOffer(deal string) string {
	c.server.t.Helper()
	var offers struct{ Data []struct{ ID string } }
	c.Get("/v1/deals/"+deal+"/offers?limit=100", 200, &offers)
	return offers.Data[len(offers.Data)-1].ID
}

// SignedDocument issues a document, signs it for all signers and returns its ID.
func (c *Client) SignedDocument(deal, kind string) string {
	c.server.t.Helper()
	var d struct {
		ID              string
		RequiredSigners []string `json:"required_signers"`
	}
	c.Post("/v1/deals/"+deal+"/documents", map[string]any{"kind": kind}, 201, &d)
	for _, role := range d.RequiredSigners {
		signature := map[string]any{"signer_role": role, "signer_name": "Sam Hill"}
		c.Post("/v1/deals/"+deal+"/documents/"+d.ID+"/sign", signature, 200, nil)
	}
	return d.ID
}

// DealIn creates a cash deal, advances it to a status and returns its ID.
func (c *Client) DealIn(status string, changes map[string]any) string {
	c.server.t.Helper()
	if status == "open" {
		return c.Deal(changes)
	}
	if status == "cancelled" {
		deal := c.Deal(changes)
		c.Post("/v1/deals/"+deal+"/cancel", `{"reason": "Bought elsewhere"}`, 200, nil)
		return deal
	}

	deal := c.AcceptedDeal(changes)
	for _, to := range []string{"in_finance", "contracted", "funded", "delivered", "closed"} {
		var d struct {
			Status string
			Totals struct {
				BalanceDueCents int64 `json:"balance_due_cents"`
			}
		}
		if c.Get("/v1/deals/"+deal, 200, &d); d.Status == status {
			break
		}
		switch to {
		case "contracted":
			c.SignedDocument(deal, "purchase_agreement")
		case "funded":
			payment := map[string]any{"kind": "balance", "method": "wire", "amount_cents": d.Totals.BalanceDueCents}
			c.Post("/v1/deals/"+deal+"/payments", payment, 201, nil)
		}
		c.Post("/v1/deals/"+deal+"/advance", map[string]any{"to": to}, 200, nil)
	}
	return deal
}

// Photos returns the photos feature, to call its jobs directly.
func (s *Server) Photos() *photos.API {
	return &photos.API{DB: s.DB, Jobs: s.Jobs, Blobs: s.Blobs}
}

// Env returns the environment of a row.
func (s *Server) Env(table, id string) auth.Env {
	s.t.Helper()
	return Rows[auth.Env](s, `SELECT env FROM `+table+` WHERE id = ?`, id)[0]
}

// TestEnv returns the environment of the test client.
func (s *Server) TestEnv() auth.Env {
	s.t.Helper()
	return Rows[auth.Env](s, `SELECT env FROM api_keys WHERE name = 'test' ORDER BY env LIMIT 1`)[0]
}

// Picture returns a photo to upload. Each call returns a different one.
func Picture() File {
	img := image.NewRGBA(image.Rect(0, 0, 40, 30))
	n := copies.Add(1)
	for i := range img.Pix {
		img.Pix[i] = byte(int64(i)*7 + n*int64(i%11))
	}
	binary.BigEndian.PutUint64(img.Pix, uint64(n))
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return File{"image/png", b.Bytes()}
}

// Photo adds a photo to a hull, creates its sizes and returns its ID.
func (c *Client) Photo(hull string) string {
	c.server.t.Helper()
	var p struct{ ID string }
	c.Post("/v1/hulls/"+hull+"/photos", Picture(), 201, &p)
	c.server.MakeSizes(p.ID)
	return p.ID
}

// MakeSizes runs the job of a photo.
func (s *Server) MakeSizes(photo string) {
	s.t.Helper()
	row := Rows[struct {
		Env  auth.Env `db:"env"`
		Hull string   `db:"hull_id"`
		Blob string   `db:"blob"`
	}](s, `SELECT env, hull_id, blob FROM hull_photos WHERE id = ?`, photo)[0]
	job := photos.MakeSizes{Env: row.Env, HullID: row.Hull, PhotoID: photo, Blob: row.Blob}
	check(s.t, jobs.Run(s.t.Context(), s.Photos().MakeSizes, job))
}

// Channel creates a channel, with changes, and returns its ID.
func (c *Client) Channel(changes map[string]any) string {
	c.server.t.Helper()
	body := map[string]any{"name": "Website"}
	maps.Copy(body, changes)
	var ch struct{ ID string }
	c.Post("/v1/channels", body, 201, &ch)
	return ch.ID
}

// ImportFile returns a file with one new hull.
func (c *Client) ImportFile() File {
	c.server.t.Helper()
	const header = "Stock #,HIN,Make,Model,Year,Length,Price,Location\n"
	return File{"text/csv", fmt.Appendf(nil, header+"IMP-%d,GRT%05dB324,Grady-White,Freedom 235,2024,23.58,\"$124,900\",%s\n",
		copies.Add(1), copies.Add(1)%100_000, c.Location())}
}

// User creates a user and returns its ID.
func (c *Client) User(changes map[string]any) string {
	c.server.t.Helper()
	body := map[string]any{"email": fmt.Sprintf("user%d@example.com", copies.Add(1)), "name": "Uma"}
	maps.Copy(body, changes)
	var u struct{ ID string }
	c.Post("/v1/users", body, 201, &u)
	return u.ID
}

// Role creates a role and returns its ID.
func (c *Client) Role(scopes ...string) string {
	c.server.t.Helper()
	var r struct{ ID string }
	body := map[string]any{"name": fmt.Sprintf("role %d", copies.Add(1)), "scopes": scopes}
	if slices.Contains(scopes, string(auth.Admin)) {
		body["mfa_token"] = c.Proof()
	}
	c.Post("/v1/roles", body, 201, &r)
	return r.ID
}

// SignIn returns the request body that signs in the owner of the first dealership
// to the test environment. Each two-factor code works once, so each call moves
// the clock to the next code.
func (s *Server) SignIn() map[string]any {
	s.t.Helper()
	return s.signIn(auth.Test)
}

func (s *Server) signIn(mode auth.Mode) map[string]any {
	s.t.Helper()
	return map[string]any{
		"email": s.Owner.Email, "password": s.Owner.PasswordOf(mode), "totp_code": s.Code(s.Owner.TOTPSecret(mode)), "environment": mode,
	}
}

// SharePassword gives the owner the password of the live environment in the test environment
// too, as people do who choose the same one.
func (s *Server) SharePassword() {
	s.t.Helper()
	live := Rows[string](s, `SELECT password_hash FROM users WHERE email = ? AND env IN (SELECT env FROM dealerships WHERE mode = 'live') ORDER BY env`, s.Owner.Email)
	s.Exec(`UPDATE users SET password_hash = ? WHERE env = ? AND email = ?`, live[0], s.TestEnv(), s.Owner.Email)
}

// Code returns a new code of an authenticator app. A code works once: each call
// moves the clock on to the next one.
func (s *Server) Code(secret string) string {
	s.t.Helper()
	s.Advance(30 * time.Second)
	code, err := totp.GenerateCode(secret, s.DB.Now())
	check(s.t, err)
	return code
}

// OwnerSession signs in the owner of the first dealership.
func (s *Server) OwnerSession(mode auth.Mode) *Person {
	s.t.Helper()
	var in struct {
		Token string
		User  struct {
			ID, Email  string
			MFAFactors []struct{ ID string } `json:"mfa_factors"`
		}
	}
	body := s.signIn(mode)
	if res, err := s.As("").Send("POST", "/oauth/sessions", body); err == nil && res.StatusCode == 401 {
		body["password"] = Password // after Activate
	}
	body["totp_code"] = s.Code(s.Owner.TOTPSecret(mode))
	s.As("").Post("/oauth/sessions", body, 201, &in)
	factor := "/v1/users/" + in.User.ID + "/mfa_factors/" + in.User.MFAFactors[0].ID
	return &Person{s.As(in.Token), in.User.ID, in.User.Email, factor, s.Owner.TOTPSecret(mode)}
}

// Session signs in the owner and returns the ID of the session.
func (c *Client) Session() string {
	c.server.t.Helper()
	c.server.Person("viewer")
	var list struct{ Data []struct{ ID string } }
	c.Get("/v1/sessions?limit=1", 200, &list)
	return list.Data[0].ID
}

// CheckedImport creates an import with review whose check has found an error in row 2, and
// returns its ID.
func (c *Client) CheckedImport() string {
	c.server.t.Helper()
	var i struct{ ID string }
	c.Post("/v1/hull_imports?review=true", c.ImportFile(), 202, &i)
	env := c.server.Env("hull_imports", i.ID)
	c.server.Exec(`UPDATE hull_imports SET state = 'completed', created = 1, kept_until = ? WHERE id = ?`, c.server.DB.Now().Add(time.Hour), i.ID)
	c.server.Exec(`INSERT INTO hull_import_failures (env, import_id, row_no, record) VALUES (?, ?, 2, 'A,B,C,D,2024,23.58,1,E')`, env, i.ID)
	c.server.Exec(`INSERT INTO hull_import_errors (env, import_id, number, row_no, field, code, message)
		VALUES (?, ?, 2000, 2, 'location_id', 'not_found', 'does not exist')`, env, i.ID)
	return i.ID
}

// StartedImport creates an import with review that was started and has ended, and returns its ID.
func (c *Client) StartedImport() string {
	c.server.t.Helper()
	id := c.CheckedImport()
	c.server.Exec(`UPDATE hull_imports SET dry_run = FALSE, kept_until = NULL, finished_at = ? WHERE id = ?`, c.server.DB.Now(), id)
	return id
}

// CheckedContactImport creates an import of contacts that was checked, with a row that needs a repair
// (2) and a duplicate (3), and returns its ID.
func (c *Client) CheckedContactImport() string {
	c.server.t.Helper()
	var i struct{ ID string }
	file := "Last name,Email,Zip\n,,21401\nBell,ann@example.com,21401\n"
	c.Post("/v2-preview/contact_imports?review=true", File{"text/csv", []byte(file)}, 202, &i)
	env := c.server.Env("hull_imports", i.ID)
	c.server.Exec(`UPDATE hull_imports SET state = 'completed', skipped = 1, failed = 1, duplicate_count = 1, kept_until = ? WHERE id = ?`,
		c.server.DB.Now().Add(time.Hour), i.ID)
	c.server.Exec(`INSERT INTO hull_import_failures (env, import_id, row_no, record) VALUES (?, ?, 2, ',,21401')`, env, i.ID)
	c.server.Exec(`INSERT INTO hull_import_errors (env, import_id, number, row_no, field, code, message)
		VALUES (?, ?, 2000, 2, 'email', 'required', 'is required unless the row has a name, a company or a phone number')`, env, i.ID)
	c.server.Exec(`INSERT INTO contact_import_duplicates (env, import_id, row_no, name, email, matches, contact_id)
		VALUES (?, ?, 3, 'Bell', 'ann@example.com', '["email"]', ?)`, env, i.ID, c.Contact(map[string]any{"email": "ann@example.com"}))
	return i.ID
}
