// The workspace: its name, what was found out about the business, and its modules.
import { getIntegrator, setIntegratorModules, updateIntegrator, type Integrator, type ModulesRequest } from "../api/generated";
import { useRead } from "../api/read";
import { may } from "../me";
import { workspaceId } from "../session";
import { Field, Form, type Values } from "../ui/form";
import { Readable } from "../ui/list";
import { Address, Facts, Status, Time } from "../ui/show";
import { toast } from "../ui/toast";
import { words } from "../ui/words";
import { Origins } from "./origins";

export function Workspace() {
	const got = useRead("workspace", ["workspace.*"], (signal) => getIntegrator({ path: { integratorId: workspaceId() } }, { signal }));
	return (
		<>
			<h1>Workspace</h1>
			<Readable of={got}>{({ data }) => <Whole of={data} />}</Readable>
		</>
	);
}

const modules = [
	["signing", "Wallets that people sign with passkeys"], ["payout", "Payouts to banks, and deposits from them"],
	["agents", "Programs that pay within limits"], ["widget", "Buttons and forms on pages of others"],
] as const;

function Whole({ of: w }: { of: Integrator }) {
	const path = { integratorId: w.id };
	const rename = async (v: Values) => {
		await updateIntegrator({ path, body: { name: v.name, email: v.email || undefined } });
		toast("Saved");
	};
	const choose = async (v: Values) => {
		const chosen = (v.modules ?? "").split(",").filter(Boolean) as ModulesRequest["modules"];
		await setIntegratorModules({ path, body: { modules: chosen } });
		toast("Saved: it holds from the next call on");
	};
	return (
		<>
			<Facts of={[
				["Environment", words(w.environment)], ["Check of the business", <Status of={w.kybStatus} />],
				["Why", w.kybReason && <bdi>{w.kybReason}</bdi>], ["Since", <Time of={w.createdAt} />], ["Id", <Address of={w.id} whole />],
			]} />
			{w.kybStatus !== "approved" && <p><a href="/kyb">The form about your business</a></p>}
			<h2>Name</h2>
			{may("manage") ? (
				<Form button="Save" send={rename}>
					{(error) => (
						<>
							<Field name="name" label="Name" value={w.name} required maxLength={100} error={error("name")} />
							<Field name="email" label="Mail address" type="email" value={w.email} required={false} error={error("email")} />
						</>
					)}
				</Form>
			) : <p><bdi class="name">{w.name}</bdi></p>}
			<h2>Modules</h2>
			{may("manage") ? (
				<Form button="Save" send={choose}>
					{() => (
						<fieldset>
							<legend>What the workspace can do</legend>
							{modules.map(([name, text]) => (
								<label class="check" key={name}>
									<input type="checkbox" name="modules" value={name} defaultChecked={w.modules.includes(name)} />
									<span><strong>{words(name)}</strong>: {text}</span>
								</label>
							))}
						</fieldset>
					)}
				</Form>
			) : <p>{w.modules.map(words).join(", ")}</p>}
			{may("team") && <Origins />}
		</>
	);
}
