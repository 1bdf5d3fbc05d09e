package rest

// EnumNames returns the names of enums in the description.
func EnumNames() (names []string) {
	for _, e := range enums {
		names = append(names, e.name)
	}
	return names
}

// VariantNames returns the schemas that the description replaces with unions.
func VariantNames() (names []string) {
	for _, v := range variants {
		names = append(names, v.schema)
	}
	return names
}
