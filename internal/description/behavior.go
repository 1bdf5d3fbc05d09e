package description

import (
	"encoding/json"
	"sync"

	"slipway/api"
)

// Behavior is what an operation did in tests: which events it emitted, and why it was refused.
type Behavior struct {
	Events   []EventSeen   `json:"events,omitempty"`
	Refusals []RefusalSeen `json:"refusals,omitempty"`
}

// EventSeen is an event of a request.
type EventSeen struct {
	Type   string      `json:"type"`
	Always bool        `json:"always,omitempty"` // each request that succeeded emitted it
	Flips  [][2]string `json:"flips,omitempty"`  // the status before and after
	Sets   []string    `json:"sets,omitempty"`   // fields that changed each time
}

// RefusalSeen is an error of a request.
type RefusalSeen struct {
	Status   int      `json:"status"`
	Code     string   `json:"code"`
	Messages []string `json:"messages,omitempty"` // examples without IDs and numbers
}

// behaviors are the behaviors by the ID of the operation.
var behaviors = sync.OnceValue(func() map[string]Behavior {
	var all map[string]Behavior
	if err := json.Unmarshal(api.Behavior, &all); err != nil {
		panic("description: behavior: " + err.Error()) // the file is part of the program
	}
	return all
})
