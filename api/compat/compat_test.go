package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// Each change is made to a small document that has the same parts as the API's: named
// enums, values that can be null, unions, pages and closed objects.
func TestBreaking(t *testing.T) {
	for name, c := range map[string]struct {
		old, new string // replaced in the document
		want     string // part of the ID of the check, or "" if the change is allowed
	}{
		"nothing": {"", "", ""},

		"removed operation":              {`"/v1/hulls/{hull_id}": {"get"`, `"/v1/boats/{hull_id}": {"get"`, "api-"},
		"removed property":               {`"make": {"type": "string"}, "year"`, `"year"`, "response-required-property-removed"},
		"removed parameter":              {`{"name": "status", "in": "query", "schema": {"$ref": "#/components/schemas/HullStatus"}},`, ``, "request-parameter-removed"},
		"removed property of a body":     {`"title": {"type": "string", "maxLength": 100},`, ``, "request-property-removed"},
		"removed event":                  {`{"$ref": "#/components/schemas/HullSoldEvent"}`, `{"$ref": "#/components/schemas/HullCreatedEvent"}`, "one-of-removed"},
		"changed type in a response":     {`"year": {"type": "integer", "format": "int32"}`, `"year": {"type": "string"}`, "response-property-type-changed"},
		"changed type in a request":      {`"price": {"type": "integer", "format": "double-int"`, `"price": {"type": "string"`, "request-property-type-changed"},
		"changed format":                 {`"year": {"type": "integer", "format": "int32"}`, `"year": {"type": "integer", "format": "int64"}`, "response-property-type-changed"},
		"response that can be null":      {`"make": {"type": "string"}, "year"`, `"make": {"type": ["string", "null"]}, "year"`, "response-property-"},
		"shorter text in a request":      {`"title": {"type": "string", "maxLength": 100}`, `"title": {"type": "string", "maxLength": 50}`, "request-property-max-length-decreased"},
		"lower limit of a request":       {`"maximum": 1000000`, `"maximum": 1000`, "request-property-max-decreased"},
		"request that can't be null":     {`"color": {"anyOf": [{"$ref": "#/components/schemas/Color"}, {"type": "null"}]}`, `"color": {"$ref": "#/components/schemas/Color"}`, "request-property-"},
		"removed value of a parameter":   {`"enum": ["available", "sold"]`, `"enum": ["available"]`, "request-parameter-enum-value-removed"},
		"removed value of a body":        {`"enum": ["new", "used"]`, `"enum": ["new"]`, "request-property-enum-value-removed"},
		"removed value that can be null": {`"enum": ["red", "blue"]`, `"enum": ["red"]`, "enum-value-removed"},
		"new required property":          {`"required": ["condition"]`, `"required": ["condition", "title"]`, "request-property-became-required"},
		"new required new property":      {`"required": ["condition"], "properties": {`, `"required": ["condition", "hin"], "properties": {"hin": {"type": "string"},`, "new-required-request-property"},
		"new required parameter":         {`"parameters": [`, `"parameters": [{"name": "q", "in": "query", "required": true, "schema": {"type": "string"}},`, "new-required-request-parameter"},

		"new operation":         {`"/v1/hulls/{hull_id}": {"get"`, `"/v1/boats": {"get": {"responses": {"200": {"description": "OK"}}}}, "/v1/hulls/{hull_id}": {"get"`, ""},
		"new property":          {`"make": {"type": "string"}, "year"`, `"make": {"type": "string"}, "model": {"type": "string"}, "year"`, ""},
		"new optional property": {`"title": {"type": "string", "maxLength": 100},`, `"title": {"type": "string", "maxLength": 100}, "hin": {"type": "string"},`, ""},
		"new value":             {`"enum": ["available", "sold"]`, `"enum": ["available", "sold", "archived"]`, ""},
		"new event": {`{"$ref": "#/components/schemas/HullSoldEvent"}`,
			`{"$ref": "#/components/schemas/HullSoldEvent"}, {"type": "object", "properties": {"type": {"const": "hull.archived"}}}`, ""},
		"new field of a webhook": {`"webhooks": {"hull.sold": {"post": {"requestBody": {"content": {"application/json": {"schema": {"type": "object", "required": ["id"], "properties": {`,
			`"webhooks": {"hull.sold": {"post": {"requestBody": {"content": {"application/json": {"schema": {"type": "object", "required": ["id", "at"], "properties": {"at": {"type": "string"}, `, ""},
		"removed field of a webhook": {`, "sequence": {"type": "integer"}`, ``, "request-property-removed"},
		"longer text":                {`"maxLength": 100`, `"maxLength": 200`, ""},
		"enum with another name":     {`HullStatus`, `BoatStatus`, ""},
		"enum in place":              {`"status": {"$ref": "#/components/schemas/HullStatus"}`, `"status": {"type": "string", "enum": ["available", "sold"]}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(document, c.old) {
				t.Fatalf("the document doesn't contain %s", c.old)
			}
			found, err := breaking([]byte(document), []byte(strings.ReplaceAll(document, c.old, c.new)))
			if err != nil {
				t.Fatal(err)
			}
			all := strings.Join(found, "\n")
			if (all == "") != (c.want == "") || !strings.Contains(all, c.want) {
				t.Errorf("got changes %q, want %q", all, c.want)
			}
		})
	}
}

// The released document can be read, and a change of an enum is found where it is used.
func TestBreakingOfOurs(t *testing.T) {
	released, err := readCompressed("../versions/released.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(released, &doc); err != nil {
		t.Fatal(err)
	}
	status := doc["components"].(map[string]any)["schemas"].(map[string]any)["HullStatus"].(map[string]any)
	status["enum"] = status["enum"].([]any)[1:]
	changed, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	found, err := breaking(released, changed)
	if err != nil || !strings.Contains(strings.Join(found, "\n"), "request-parameter-enum-value-removed") {
		t.Errorf("got changes %v and error %v, want the removed value of a parameter", found, err)
	}
}

const document = `{
"openapi": "3.1.0", "info": {"title": "Boats", "version": "1"},
"webhooks": {"hull.sold": {"post": {"requestBody": {"content": {"application/json": {"schema": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}, "sequence": {"type": "integer"}}}}}}, "responses": {"200": {"description": "OK"}}}}},
"paths": {
	"/v1/hulls": {
		"get": {
			"operationId": "listHulls",
			"parameters": [
				{"name": "status", "in": "query", "schema": {"$ref": "#/components/schemas/HullStatus"}},
				{"name": "limit", "in": "query", "schema": {"type": "integer", "format": "int32", "minimum": 1, "maximum": 100}}
			],
			"responses": {"200": {"description": "OK", "content": {"application/json": {"schema": {
				"type": "object", "required": ["data"], "properties": {"data": {"type": "array", "items": {"$ref": "#/components/schemas/Hull"}}}}}}}}
		},
		"post": {
			"operationId": "createHull",
			"requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/HullCreate"}}}},
			"responses": {"201": {"description": "Created", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Hull"}}}}}
		}
	},
	"/v1/hulls/{hull_id}": {"get": {
		"operationId": "getHull", "parameters": [{"name": "hull_id", "in": "path", "required": true, "schema": {"type": "string"}}],
		"responses": {"200": {"description": "OK", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Hull"}}}}}
	}},
	"/v1/events": {"get": {
		"operationId": "listEvents",
		"responses": {"200": {"description": "OK", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Event"}}}}}
	}}
},
"components": {"schemas": {
	"HullStatus": {"type": "string", "enum": ["available", "sold"]},
	"HullCondition": {"type": "string", "enum": ["new", "used"]},
	"Color": {"type": "string", "enum": ["red", "blue"]},
	"Hull": {"type": "object", "additionalProperties": false, "required": ["make", "year", "status"], "properties": {
		"make": {"type": "string"}, "year": {"type": "integer", "format": "int32"},
		"status": {"$ref": "#/components/schemas/HullStatus"}}},
	"HullCreate": {"type": "object", "additionalProperties": false, "required": ["condition"], "properties": {
		"title": {"type": "string", "maxLength": 100},
		"price": {"type": "integer", "format": "double-int", "minimum": 0, "maximum": 1000000},
		"color": {"anyOf": [{"$ref": "#/components/schemas/Color"}, {"type": "null"}]},
		"condition": {"$ref": "#/components/schemas/HullCondition"}}},
	"HullCreatedEvent": {"type": "object", "required": ["type"], "properties": {
		"type": {"type": "string", "const": "hull.created"}, "data": {"$ref": "#/components/schemas/Hull"}}},
	"HullSoldEvent": {"type": "object", "required": ["type"], "properties": {
		"type": {"type": "string", "const": "hull.sold"}, "data": {"$ref": "#/components/schemas/Hull"}}},
	"Event": {"oneOf": [{"$ref": "#/components/schemas/HullCreatedEvent"}, {"$ref": "#/components/schemas/HullSoldEvent"}]}
}}}`
