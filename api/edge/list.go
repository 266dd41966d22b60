package edge

import (
	"slices"

	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/ratelimit"
)

// Operation is what a server says of an operation that it serves.
type Operation struct {
	ID, Method, Path string
	Access           auth.Access // empty where the operation is public
	Callers          []auth.Kind
	Module           auth.Module
	Class            ratelimit.Class

	Public  bool // asks for no credential
	Body    bool // reads one
	Changes bool // runs under a command
	Queued  bool
	Across  bool
	Natural bool

	Dashboard bool // takes calls of the dashboard's pages only
	Cookie    bool
	AnyOrigin bool // pages of any origin may read the answer
}

// Operations lists what is registered, in that order.
func (s *Server) Operations() []Operation {
	var all []Operation
	for _, o := range s.operations {
		op := Operation{
			ID: o.ID, Method: o.Method, Path: o.Path, Access: o.Access, Callers: slices.Clone(o.Callers),
			Module: o.Module, Class: o.class,
			Public: o.public, Body: o.bodyType != nil, Changes: o.changes, Queued: o.Queued, Across: o.Across,
			Natural: o.Natural, Dashboard: o.Dashboard, Cookie: o.Cookie, AnyOrigin: o.AnyOrigin,
		}
		if o.public {
			op.Access = ""
		}
		all = append(all, op)
	}
	return all
}
