package hulls

import "slipway/internal/vocab/enum"

// HullMaterial is the main material of a hull.
type HullMaterial string

var allHullMaterials = enum.Of[HullMaterial]("HullMaterial", "Main material of a hull.",
	"aluminum", "ferro_cement", "fiberglass", "fiberglass_composite", "fiberglass_reinforced", "hypalon", "plastic",
	"rubber_vinyl_canvas", "steel", "wood", "other")

func (HullMaterial) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allHullMaterials.Describe(s)
}

// HullShape is the shape of the bottom of a boat.
type HullShape string

var allHullShapes = enum.Of[HullShape]("HullShape", "Shape of the bottom of a boat.",
	"catamaran", "deep_vee", "displacement", "flat", "foldable", "modified_vee", "monohull", "planing", "pontoon", "rib",
	"roll_up", "semi_displacement", "trimaran", "tunnel", "other")

func (HullShape) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allHullShapes.Describe(s)
}

// KeelType is the type of a keel.
type KeelType string

var allKeelTypes = enum.Of[KeelType]("KeelType", "Type of keel.",
	"full", "fin", "lifting", "winged", "twin", "bulb", "canting", "other")

func (KeelType) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allKeelTypes.Describe(s)
}

// DesignCategory is what conditions a boat is designed for.
type DesignCategory string

var allDesignCategories = enum.Of[DesignCategory]("DesignCategory", "Conditions that a boat is designed for, from ocean to sheltered waters.",
	"ocean", "offshore", "inshore", "sheltered")

func (DesignCategory) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allDesignCategories.Describe(s)
}

// Propulsion is what moves a boat.
type Propulsion string

var allPropulsions = enum.Of[Propulsion]("Propulsion", "What moves a boat.",
	"air_thrust", "manual", "propeller", "sail", "water_jet", "other")

func (Propulsion) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allPropulsions.Describe(s)
}

// EnginePosition is where an engine is mounted.
type EnginePosition string

var allEnginePositions = enum.Of[EnginePosition]("EnginePosition", "Where an engine is mounted.",
	"single", "port", "starboard", "center", "inner_port", "inner_starboard")

func (EnginePosition) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allEnginePositions.Describe(s)
}

// EngineFuel is what an engine runs on.
type EngineFuel string

var allEngineFuels = enum.Of[EngineFuel]("EngineFuel", "What an engine runs on.", "gas", "diesel", "electric", "hybrid", "other")

func (EngineFuel) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allEngineFuels.Describe(s)
}

// EngineType is the type of an engine.
type EngineType string

var allEngineTypes = enum.Of[EngineType]("EngineType", "Type of engine. outboard_2s and outboard_4s are two-stroke and four-stroke outboards.",
	"outboard", "outboard_2s", "outboard_4s", "inboard", "sterndrive", "v_drive", "jet", "pod", "electric", "other")

func (EngineType) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allEngineTypes.Describe(s)
}

// EngineDrive is how the power of an engine reaches the water.
type EngineDrive string

var allEngineDrives = enum.Of[EngineDrive]("EngineDrive", "How the power of an engine reaches the water.",
	"direct", "stern", "v", "sail", "jet", "pod", "surface", "other")

func (EngineDrive) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allEngineDrives.Describe(s)
}
