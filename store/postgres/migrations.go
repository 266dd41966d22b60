package postgres

import "embed"

// Migrations are those that only PostgreSQL understands.
//
//go:embed migrations/*.sql
var Migrations embed.FS
