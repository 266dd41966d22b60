package sqlite

import "embed"

// Migrations are those that only SQLite understands.
//
//go:embed migrations/*.sql
var Migrations embed.FS
