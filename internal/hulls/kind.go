package hulls

import "slipway/internal/vocab/enum"

// Condition is whether a boat is new.
type Condition string

var allConditions = enum.Of[Condition]("HullCondition", "Whether a boat is new, used, or a demonstration boat.",
	"new", "used", "demo")

func (Condition) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allConditions.Describe(s)
}

// Category is the basic kind of a boat.
type Category string

// The values.
const (
	Power     Category = "power"
	Sail      Category = "sail"
	PWC       Category = "pwc"
	Unpowered Category = "unpowered"
)

var allCategories = enum.Of("HullCategory", "Basic kind of boat. pwc is a personal watercraft.", Power, Sail, PWC, Unpowered)

func (Category) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allCategories.Describe(s)
}

// Ownership is who owns a boat.
type Ownership string

var allOwnerships = enum.Of[Ownership]("HullOwnership", "Who owns a boat.", "owned", "floorplan", "consignment", "brokerage")

func (Ownership) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allOwnerships.Describe(s)
}

// HINAbsentReason is why a boat has no HIN.
type HINAbsentReason string

// Values that the code uses.
const (
	HINBefore1972     HINAbsentReason = "pre_1972"
	HINNotYetAssigned HINAbsentReason = "not_yet_assigned"
)

var allHINAbsentReasons = enum.Of("HinAbsentReason", "Why a boat has no hull identification number.",
	HINBefore1972, HINNotYetAssigned, "homebuilt_pending")

func (HINAbsentReason) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allHINAbsentReasons.Describe(s)
}
