package sdkgen

import (
	"bytes"
	"fmt"
	"strings"
)

// JavaScript returns what the compiler of TypeScript makes of the generated files: modules,
// their types, and the same modules for CommonJS. So a server can pack the SDK without it.
func JavaScript(m *Model) map[string][]byte {
	header := "// " + origin + "\n\n"
	const functions = "Family, PreviewFamily, csv, download, get, list, patch, path, post, put, remove, upload"
	var classes, declared bytes.Buffer
	tsClasses(&classes, m, asScript)
	tsClasses(&declared, m, asDeclaration)
	var names []string
	for _, f := range m.Families {
		names = append(names, goService(f))
	}
	exported := strings.Join(append(names, "Services"), ", ")

	types := strings.Replace(tsTypes(m), "export const VERSION = ", "export declare const VERSION = ", 1)
	version := fmt.Sprintf("VERSION = %q;\n", m.Version)
	return map[string][]byte{
		"types.gen.js":   []byte(header + "export const " + version),
		"types.gen.d.ts": []byte(header + types),
		"services.gen.js": []byte(header + "import { " + functions + " } from \"./client.js\";\n" +
			classes.String() + "\nexport { " + exported + " };\n"),
		"services.gen.d.ts": []byte(header + "import { Family, PreviewFamily, type Options, type Sender, type Upload } from \"./client.ts\";\n" +
			"import type { List, ListParams } from \"./list.ts\";\nimport type * as t from \"./types.gen.ts\";\n" + declared.String()),
		"cjs/types.gen.js": []byte(header + "\"use strict\";\nexports." + version),
		"cjs/services.gen.js": []byte(header + "\"use strict\";\nconst { " + functions + " } = require(\"./client.js\");\n" +
			classes.String() + "\nObject.assign(exports, { " + exported + " });\n"),
	}
}
