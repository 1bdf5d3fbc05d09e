package mcp

// ToolNames returns the names of all tools.
func ToolNames() (names []string) {
	for _, t := range tools {
		names = append(names, t.name)
	}
	return names
}
