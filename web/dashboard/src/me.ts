// The member with its workspace, for every page, and what its role can do.
import { signal } from "@preact/signals";
import type { CurrentMember } from "./api/generated";
import { session } from "./session";

// me is undefined until it was read.
export const me = signal<CurrentMember | undefined>(undefined);

// may says whether the member's role can do something. The API refuses the rest by itself; the page does not offer it.
const roles = {
	admin: ["write", "manage", "team", "audit"], manager: ["write", "manage"], auditor: ["audit"], viewer: [],
} as const;
export type Right = "write" | "manage" | "team" | "audit";
export function may(right: Right): boolean {
	const s = session.value;
	const role = me.value?.member.internal_role ?? (s.state === "in" ? s.member.role : "viewer");
	return (roles[role] as readonly Right[]).includes(right);
}
