// Package page has what the passkey page needs to read Solana by itself: plain files, which web/ceremony serves.
package page

import "embed"

// Files are the page's part.
//
//go:embed *.js
var Files embed.FS
