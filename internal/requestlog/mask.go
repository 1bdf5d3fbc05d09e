package requestlog

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// What replaces masked text.
const (
	maskedSecret   = "[secret]"
	maskedPersonal = "[personal]"
)

// secretWords are parts of the names of fields with secrets.
var secretWords = []string{"password", "secret", "token", "credential", "authorization", "private", "assertion"}

// plain are the text fields that are neither secret nor personal. All others are
// masked, also those that don't exist.
var plain = fieldSet(`
	action apr_percent base basis boat_class buy_rate_percent by captured_at category channel channels charset
	condition conditions contract_on country currency deal_type default_tax_rate_percent deposit_outcome
	design_category direction done_at drive dry_run due_at end environment events expires_at first_payment_on
	force format fuel funded_at hin hin_absent_reason hull_color hull_material hull_shape keel kind made_by make
	missing mode model occurred_at odd_days_interest outcome ownership payoff_good_through_on position
	preferred_channel price_type propeller propulsion protocol purpose rate_percent reacquire received_at
	received_on region relationship required_signers reserve_split_percent sale_type scope scopes send_at side
	signed_at signer_role since sold_when start starts_at status statuses stock_number strategy tax_rate_percent
	tier timezone to type types until expand limit starting_after ending_before
`)

func fieldSet(names string) map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(names) {
		set[name] = true
	}
	return set
}

// isPlain reports whether the text of a field can be stored. IDs are not personal.
func isPlain(field string) bool {
	return plain[field] || strings.HasSuffix(field, "_id") || strings.HasSuffix(field, "_ids")
}

func isSecret(field string) bool {
	return field == "code" || slices.ContainsFunc(secretWords, func(word string) bool { return strings.Contains(strings.ToLower(field), word) })
}

// maskBody returns a JSON body without secrets. Personal text is kept only in the test
// environment. It returns nil if the body is not an object.
func maskBody(body []byte, test bool) map[string]any {
	var object map[string]any
	if json.Unmarshal(body, &object) != nil || object == nil {
		return nil
	}
	masked, _ := maskValue("", object, test).(map[string]any)
	return masked
}

// maskValue returns the value of a field. Items of a list belong to the field of the
// list.
func maskValue(field string, value any, test bool) any {
	switch v := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, inner := range v {
			out[maskName(name)] = maskValue(name, inner, test)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			out[i] = maskValue(field, inner, test)
		}
		return out
	case string:
		return maskText(field, v, test)
	case float64:
		if isSecret(field) {
			return maskedSecret
		}
	}
	return value
}

func maskText(field, text string, test bool) string {
	switch {
	case isSecret(field):
		return maskedSecret
	case isPlain(field) || test:
		return withoutTokens(clean(text, 500))
	}
	return maskedPersonal
}

// fieldName is what names of fields look like. Other names are data.
var fieldName = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_]{0,39}$`)

func maskName(name string) string {
	if fieldName.MatchString(name) {
		return name
	}
	return "[name]"
}

// harmless are values of parameters that can be stored: numbers, booleans and dates.
var harmless = regexp.MustCompile(`^([0-9]{1,9}(\.[0-9]{1,9})?|true|false|[0-9]{4}-[0-9]{2}-[0-9]{2}[0-9TZ:.+-]{0,20})$`)

// maskQuery returns the parameters of a request, in the order of their names.
func maskQuery(query url.Values) string {
	var parts []string
	for name, values := range query {
		value := strings.Join(values, ",")
		if isSecret(name) || !isPlain(name) && !harmless.MatchString(value) || len(value) > maxWord {
			value = "..."
		}
		parts = append(parts, maskName(name)+"="+value)
	}
	slices.Sort(parts)
	return strings.Join(parts, "&")
}
