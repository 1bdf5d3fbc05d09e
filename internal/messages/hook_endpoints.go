package messages

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"net/url"

	"slipway/internal/consent"
	"slipway/internal/dealership"
	"slipway/internal/platform/authlog"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/platform/sms"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/phone"
	"slipway/internal/vocab/signature"
)

// mountHooks registers the URLs that providers send received messages to. They are not
// part of the API, because the providers define the requests.
func (a *API) mountHooks(r *rest.Router) {
	r.HandleHook(dealership.HookPath+dealership.Twilio+"/{token}", 64<<10, a.ReceiveTwilio)
	r.HandleHook(dealership.HookPath+dealership.Email+"/{token}", 512<<10, a.emailHook)
}

// twilioForm describes what Slipway reads of a request from Twilio.
type twilioForm struct {
	_ struct{} `doc:"A text message, as Twilio forwards it."`

	MessageSid    string `json:"MessageSid" doc:"ID of the message at Twilio. A message with a known ID is ignored."`
	From          string `json:"From" doc:"Number of the sender."`
	To            string `json:"To" doc:"Number that received the message."`
	Body          string `json:"Body,omitempty" doc:"Text of an incoming message."`
	MessageStatus string `json:"MessageStatus,omitempty" doc:"For a delivery receipt: the new state of a message that Slipway sent."`
}

// document adds the hooks to the public description.
func (a *API) document(r *rest.Router) {
	r = r.Family(family.ProviderHooks)
	r.Document(rest.Endpoint{
		Method: http.MethodPost, Path: dealership.HookPath + dealership.Twilio + "/{token}", ID: "receiveTwilio",
		Summary: "Receive a text message or a delivery receipt from Twilio",
		Description: "Set this URL in Twilio as the webhook of your number. `X-Twilio-Signature` is verified. " +
			"A message from an unknown number creates a lead. Other fields are ignored.",
		Form: twilioForm{}, Error: rest.ErrorEnvelope{},
	})
	r.Document(rest.Endpoint{
		Method: http.MethodPost, Path: dealership.HookPath + dealership.Email + "/{token}", ID: "receiveEmail",
		Summary: "Receive an email",
		Description: "Your mail provider, or a script, sends each email that arrives. Sign the request like a webhook (Standard Webhooks) with the secret of the hook. " +
			"An ADF document can also be the body, as `application/x-adf+xml`.",
		JSON: InboundEmail{}, Error: rest.ErrorEnvelope{},
	})
}

// hookCall is a request to a hook, with what its signature is verified with.
type hookCall struct {
	dealership dealership.Dealership
	secret     string
	url        string // as the provider knows it
}

// openHook finds the dealership of a hook. It also returns the context for the
// changes of the request.
func (a *API) openHook(req *http.Request, provider string) (context.Context, hookCall, error) {
	ctx, token := req.Context(), req.PathValue("token")
	call, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (c hookCall, err error) {
		env, ok := dealership.HookEnv(tx, token)
		if !ok {
			return c, fault.New(fault.KindNotFound, "This hook does not exist.")
		}
		tx = tx.In(env)
		if c.dealership, err = dealership.Find(ctx, tx); err != nil {
			return c, err
		}
		c.url = dealership.HookURL(tx, env, provider)
		c.secret, err = dealership.InboundSecret(ctx, tx, a.Box, provider)
		return c, err
	})
	if err != nil {
		if fault.KindOf(err) == fault.KindNotFound {
			authlog.Of(a.DB).Reject(ctx, authlog.Rejection{Kind: authlog.KindHook, ID: provider, Err: err})
		}
		return ctx, call, err
	}

	if req.URL.RawQuery != "" {
		call.url += "?" + req.URL.RawQuery
	}
	d := call.dealership
	return auth.With(ctx, auth.Principal{Env: d.Env, Mode: d.Mode, DealershipID: d.ID, Actor: auth.System}), call, nil
}

// reject records that a request was not accepted, and returns the error.
func (a *API) reject(ctx context.Context, provider string, err *fault.Error) error {
	authlog.Of(a.DB).Reject(ctx, authlog.Rejection{Env: auth.From(ctx).Env, Kind: authlog.KindHook, ID: provider, Err: err})
	return err
}

// checkType returns an error unless the body has a type.
func checkType(req *http.Request, want string) error {
	if kind, _, err := mime.ParseMediaType(req.Header.Get("Content-Type")); err != nil || kind != want {
		return fault.New(fault.KindUnsupportedType, "Send the body as %s.", want).Detail("Content-Type", "enum", "must be %s", want)
	}
	return nil
}

// ReceiveTwilio receives text messages, and the status of sent ones, from Twilio.
func (a *API) ReceiveTwilio(w http.ResponseWriter, req *http.Request, body []byte) error {
	ctx, call, err := a.openHook(req, dealership.Twilio)
	if err != nil {
		return err
	}
	if err := checkType(req, "application/x-www-form-urlencoded"); err != nil {
		return err
	}
	form, err := parseForm(body)
	if err != nil {
		return err
	}

	given := req.Header.Get("X-Twilio-Signature")
	// Messages are sent with the account of the installation, so it reports their status.
	own, shared := sms.VerifyTwilio(call.secret, call.url, form, given), sms.VerifyTwilio(a.twilioToken(), call.url, form, given)
	if !own && !shared {
		return a.reject(ctx, dealership.Twilio, fault.Forbidden("X-Twilio-Signature is not valid. Check the auth token and the URL."))
	}
	if form.Get("MessageStatus") != "" {
		if err := a.recordReceipt(ctx, form); err != nil {
			return err
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	}

	in, err := textOf(form)
	if err != nil {
		return err
	}
	if err := a.receiveText(ctx, call.dealership, in, form.Get("MessagingServiceSid")); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/xml; charset=utf-8")
	_, _ = w.Write([]byte(noReply)) // the client might have disconnected
	return nil
}

// noReply tells Twilio not to reply to a message.
const noReply = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Response></Response>\n"

// twilioToken returns the auth token of the installation, or "".
func (a *API) twilioToken() string {
	if t, ok := a.SMS.(*sms.Twilio); ok {
		return t.AuthToken
	}
	return ""
}

// receiveText records a text message to a number of the dealership. A message to
// another number is rejected: on a shared Twilio account, it can be for another
// dealership.
func (a *API) receiveText(ctx context.Context, d dealership.Dealership, in incoming, service string) error {
	in.to = numberOf(in.to)
	sender := a.senderOf(d, consent.SMS)
	isOwn, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (bool, error) {
		isOwn, err := dealership.IsNumber(ctx, tx, d, in.to)
		if err != nil {
			return false, err
		}
		if !isOwn && (sender == "" || numberOf(sender) != in.to && sender != service) {
			return false, nil
		}
		_, err = a.receiveIncoming(ctx, tx, in)
		return true, err
	})
	if err == nil && !isOwn {
		return a.reject(ctx, dealership.Twilio, fault.Forbidden("The number is not a number of this dealership. "+
			"Set it as settings.sender.sms, or as the phone of a location.").Detail("To", "not_found", "is not a number of the dealership"))
	}
	return err
}

// numberOf returns a phone number in E.164 format, or the text if it is none.
func numberOf(text string) string {
	if e164, ok := phone.Parse(text, "US"); ok {
		return e164
	}
	return text
}

// recordReceipt records the delivery status of a message that was sent. Messages
// of other environments don't exist for it.
func (a *API) recordReceipt(ctx context.Context, form url.Values) error {
	status, err := sms.ParseStatus(form.Get("MessageStatus"), printable(clipped(form.Get("ErrorCode"), 20)), "")
	rejected, _ := errors.AsType[*sms.Rejected](err)
	_, err = db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (LeadMessage, error) {
		m, found, err := findSent(ctx, tx, printable(form.Get("MessageSid")))
		if err != nil || !found {
			return m, err
		}
		return m, a.recordStatus(ctx, tx, m, status, rejected)
	})
	return err
}

// emailHook receives email in a signed request.
func (a *API) emailHook(w http.ResponseWriter, req *http.Request, body []byte) error {
	ctx, call, err := a.openHook(req, dealership.Email)
	if err != nil {
		return err
	}
	isADF := checkType(req, "application/x-adf+xml") == nil
	if err := checkType(req, "application/json"); err != nil && !isADF {
		return err
	}

	if call.secret == "" {
		return a.reject(ctx, dealership.Email, fault.Forbidden("No secret is set. Set settings.inbound.email_secret of the dealership."))
	}
	key, err := signature.Parse(call.secret)
	if err != nil {
		return err
	}
	h := signature.Headers{
		ID: req.Header.Get("Webhook-Id"), Timestamp: req.Header.Get("Webhook-Timestamp"), Signature: req.Header.Get("Webhook-Signature"),
	}
	if err := signature.Verify(key, h, body, a.DB.Now()); err != nil {
		return a.reject(ctx, dealership.Email, fault.Forbidden("The signature is not valid: %s.", err.Error()))
	}

	read := emailOf
	if isADF {
		read = adfOf
	}
	in, err := read(body, h.ID)
	if err != nil {
		return err
	}
	if _, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (int, error) {
		_, err := a.receiveIncoming(ctx, tx, in)
		return 0, err
	}); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
