// Package page has what the readers of all families share on the passkey page: plain files, which web/ceremony serves.
package page

import "embed"

// Files are the page's part.
//
//go:embed *.js
var Files embed.FS
