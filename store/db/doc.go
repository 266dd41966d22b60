// Package db is what sqlc makes of store/queries; only this file is written by
// hand. Nothing but store imports it.
package db
