package skill

import "github.com/railkit/railkit/fault"

var (
	errNotOwner = fault.Define(fault.Forbidden, "skill_not_owned",
		"Only the workspace that registered a skill may change or test it",
		"A public skill of another workspace was to be changed, deleted or tested")
	errTooMany = fault.Define(fault.Unprocessable, "too_many_skills", "Too many skills",
		"A workspace has at most 200 skills: delete one that is not needed")
)
