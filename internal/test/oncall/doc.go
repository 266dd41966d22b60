// Package oncall tries what whoever is woken up works with: metrics, alerts and logs of a running application, and what
// docs/operations.md says of them.
package oncall
