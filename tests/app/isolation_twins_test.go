package app

import (
	"encoding/json"
	"maps"
	"strings"

	"slipway/internal/app"
	"slipway/internal/platform/rest"
	"slipway/internal/testkit"
)

// init adds the recipes of the twins in the preview: those of /v1 with the amounts of the preview.
func init() {
	twins := map[string]recipe{}
	_, preview, _ := app.Routes().Surfaces()
	for _, o := range preview.Operations {
		id, isTwin := strings.CutSuffix(o.ID, rest.TwinSuffix)
		stable, known := recipes[id]
		if _, byHand := recipes["preview."+o.ID]; !isTwin || !known || byHand {
			continue
		}
		twin := recipe{params: stable.params}
		if stable.body != nil {
			twin.body = func(c *testkit.Client) any { return inPreview(stable.body(c)) }
		}
		twins["preview."+o.ID] = twin
	}
	maps.Copy(recipes, twins)
}

// inPreview returns a body of /v1 with the amounts of the preview.
func inPreview(body any) any {
	text, ok := body.(string)
	if !ok {
		encoded, err := json.Marshal(body)
		if err != nil {
			panic(err)
		}
		text = string(encoded)
	}
	var decoded any
	if err := json.Unmarshal([]byte(text), &decoded); err != nil {
		panic(err)
	}
	return withMoney(decoded)
}

func withMoney(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = withMoney(v[i])
		}
	case map[string]any:
		for name, value := range maps.Clone(v) {
			units, isNumber := value.(float64)
			for suffix, cents := range map[string]float64{"_usd": 100, "_cents": 1} {
				short, isMoney := strings.CutSuffix(name, suffix)
				if isMoney && (isNumber || value == nil) {
					delete(v, name)
					name, value = short, nil
					if isNumber {
						value = map[string]any{"amount": units * cents, "currency": rest.Currency}
					}
				}
			}
			v[name] = withMoney(value)
		}
	}
	return v
}
