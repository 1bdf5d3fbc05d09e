package enum

import "reflect"

// Union is a type whose properties depend on the value of one of them, such as a message
// that has a subject if its channel is email.
type Union struct {
	Type     reflect.Type
	Property string // JSON name of the property that selects a variant
	Variants []Variant
}

// Variant is one of the schemas of a union. The properties that it sets are required and not
// null. In the others, they are null.
type Variant struct {
	Value string // of the property
	Name  string // in the description of the API
	Doc   string // one sentence
	Sets  []string
}

var unions []Union

// Variants declares the variants of a type. Call it where the type is declared.
func Variants[T any](property string, variants ...Variant) Union {
	u := Union{reflect.TypeFor[T](), property, variants}
	unions = append(unions, u)
	return u
}

// Unions returns the unions of the program.
func Unions() []Union { return unions }
