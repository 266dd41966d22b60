package auth

import "github.com/railkit/railkit/fault"

// ErrOwn refuses an agent what is another agent's.
var ErrOwn = fault.Define(fault.Forbidden, "own_resources_only", "Agents may use their own resources only",
	"An agent asked for another agent of its workspace")

// MayReadAgent refuses an agent that asks for another one of its workspace. Any other caller may.
func (p Principal) MayReadAgent(id string) error {
	if p.Kind == ByAgent && p.ID != id {
		return ErrOwn
	}
	return nil
}
