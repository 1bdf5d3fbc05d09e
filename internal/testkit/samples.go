package testkit

import (
	"bytes"
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

// Location makes a location and returns its id.
func (c *Client) Location() string {
	c.server.t.Helper()
	var l struct{ ID string }
	c.Post("/v1/locations", map[string]any{"name": "Harbor East"}, 201, &l)
	return l.ID
}

// HullBody is the body of a hull at a location, with changes.
func HullBody(location string, changes map[string]any) map[string]any {
	body := map[string]any{
		"make": "Grady-White", "model": "Freedom 235", "year": 2024, "length_ft": 23.58, "price_usd": 124900,
		"location_id": location, "hin": fmt.Sprintf("GRT%05dB324", copies.Add(1)%100_000),
	}
	maps.Copy(body, changes)
	return body
}

// Hull makes a hull at a location and returns its id.
func (c *Client) Hull(location string, changes map[string]any) string {
	c.server.t.Helper()
	var h struct{ ID string }
	c.Post("/v1/hulls", HullBody(location, changes), 201, &h)
	return h.ID
}

// Contact makes a contact and returns its id.
func (c *Client) Contact(changes map[string]any) string {
	c.server.t.Helper()
	n := copies.Add(1)
	body := map[string]any{
		"first_name": "Ann", "last_name": "Bell", "email": fmt.Sprintf("ann%d@example.com", n), "phone": fmt.Sprintf("+1410555%04d", n%10_000),
	}
	maps.Copy(body, changes)
	var made struct{ ID string }
	c.Post("/v1/contacts", body, 201, &made)
	return made.ID
}

// Lead makes a lead of a new contact, unless the changes name one, and returns
// its id.
func (c *Client) Lead(changes map[string]any) string {
	c.server.t.Helper()
	body := map[string]any{"source": "web", "interest": "A center console"}
	maps.Copy(body, changes)
	if body["contact_id"] == nil && body["contact"] == nil {
		body["contact_id"] = c.Contact(nil)
	}
	var made struct{ ID string }
	c.Post("/v1/leads", body, 201, &made)
	return made.ID
}

// DealBody is the body of a deal on a new hull with a new buyer, with changes.
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

// Deal makes a deal and returns its id.
func (c *Client) Deal(changes map[string]any) string {
	c.server.t.Helper()
	var d struct{ ID string }
	c.Post("/v1/deals", c.DealBody(changes), 201, &d)
	return d.ID
}

// AcceptedDeal makes a deal whose opening offer is accepted.
func (c *Client) AcceptedDeal(changes map[string]any) string {
	c.server.t.Helper()
	deal := c.Deal(changes)
	c.Post("/v1/deals/"+deal+"/offers/"+c.OpeningOffer(deal)+"/accept", nil, 200, nil)
	return deal
}

// OpeningOffer is the id of a deal's oldest offer.
func (c *Client) OpeningOffer(deal string) string {
	c.server.t.Helper()
	var offers struct{ Data []struct{ ID string } }
	c.Get("/v1/deals/"+deal+"/offers?limit=100", 200, &offers)
	return offers.Data[len(offers.Data)-1].ID
}

// SignedDocument issues a document and has everybody sign it.
func (c *Client) SignedDocument(deal, kind string) string {
	c.server.t.Helper()
	var d struct {
		ID              string
		RequiredSigners []string `json:"required_signers"`
	}
	c.Post("/v1/deals/"+deal+"/documents", map[string]any{"kind": kind}, 201, &d)
	for _, role := range d.RequiredSigners {
		c.Post("/v1/deals/"+deal+"/documents/"+d.ID+"/sign", map[string]any{"signer_role": role, "signer_name": "Somebody"}, 200, nil)
	}
	return d.ID
}

// DealIn makes a cash deal and brings it to a status, as a dealer would.
func (c *Client) DealIn(status string, changes map[string]any) string {
	c.server.t.Helper()
	if status == "open" {
		return c.Deal(changes)
	}
	if status == "cancelled" {
		deal := c.Deal(changes)
		c.Post("/v1/deals/"+deal+"/cancel", `{"reason": "No time to sail"}`, 200, nil)
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
			c.Post("/v1/deals/"+deal+"/payments", map[string]any{"kind": "balance", "method": "wire", "amount_cents": d.Totals.BalanceDueCents}, 201, nil)
		}
		c.Post("/v1/deals/"+deal+"/advance", map[string]any{"to": to}, 200, nil)
	}
	return deal
}

// Photos is the feature behind the service, for jobs to be called directly.
func (s *Server) Photos() *photos.API {
	return &photos.API{DB: s.DB, Jobs: s.Jobs, Blobs: s.Blobs}
}

// Env is the environment that a row of a table belongs to.
func (s *Server) Env(table, id string) auth.Env {
	s.t.Helper()
	return Rows[auth.Env](s, `SELECT env FROM `+table+` WHERE id = ?`, id)[0]
}

// Picture is a photo to upload, another one each time.
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

// Photo gives a hull a photo that is ready and returns its id.
func (c *Client) Photo(hull string) string {
	c.server.t.Helper()
	var p struct{ ID string }
	c.Post("/v1/hulls/"+hull+"/photos", Picture(), 201, &p)
	c.server.MakeSizes(p.ID)
	return p.ID
}

// MakeSizes does the job of a photo.
func (s *Server) MakeSizes(photo string) {
	s.t.Helper()
	row := Rows[struct {
		Env  auth.Env `db:"env"`
		Hull string   `db:"hull_id"`
		Blob string   `db:"blob"`
	}](s, `SELECT env, hull_id, blob FROM hull_photos WHERE id = ?`, photo)[0]
	check(s.t, jobs.Run(s.t.Context(), s.Photos().MakeSizes, photos.MakeSizes{Env: row.Env, HullID: row.Hull, PhotoID: photo, Blob: row.Blob}))
}

// Channel makes a channel, with changes, and returns its id.
func (c *Client) Channel(changes map[string]any) string {
	c.server.t.Helper()
	body := map[string]any{"name": "Website"}
	maps.Copy(body, changes)
	var ch struct{ ID string }
	c.Post("/v1/channels", body, 201, &ch)
	return ch.ID
}

// ImportFile is a file with one new hull.
func (c *Client) ImportFile() File {
	c.server.t.Helper()
	return File{"text/csv", fmt.Appendf(nil, "Stock #,HIN,Make,Model,Year,Length,Price,Location\nIMP-%d,GRT%05dB324,Grady-White,Freedom 235,2024,23.58,\"$124,900\",%s\n",
		copies.Add(1), copies.Add(1)%100_000, c.Location())}
}

// User provisions a user and returns its id.
func (c *Client) User(changes map[string]any) string {
	c.server.t.Helper()
	body := map[string]any{"email": fmt.Sprintf("user%d@example.com", copies.Add(1)), "name": "Uma"}
	maps.Copy(body, changes)
	var u struct{ ID string }
	c.Post("/v1/users", body, 201, &u)
	return u.ID
}

// Role makes a role and returns its id.
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

// SignIn is the body with which the first dealership's owner signs in to the
// test environment. A code works once: each call moves the clock on to the
// next one.
func (s *Server) SignIn() map[string]any {
	s.t.Helper()
	s.Advance(30 * time.Second)
	code, err := totp.GenerateCode(s.Owner.TOTPSecret, s.DB.Now())
	check(s.t, err)
	return map[string]any{"email": s.Owner.Email, "password": s.Owner.Password, "totp_code": code, "environment": "test"}
}

// Session signs a new user in and returns the session's id.
func (c *Client) Session() string {
	c.server.t.Helper()
	c.server.Person("viewer")
	var list struct{ Data []struct{ ID string } }
	c.Get("/v1/sessions?limit=1", 200, &list)
	return list.Data[0].ID
}
