// The websites of one's own that the passkey page may lead back to.
import { useState } from "preact/hooks";
import { addReturnOrigin, listReturnOrigins, removeReturnOrigin, type ReturnOrigin } from "../api/generated";
import { useRead } from "../api/read";
import { workspaceId } from "../session";
import { Dialog } from "../ui/dialog";
import { Field, Form } from "../ui/form";
import { Readable, Table } from "../ui/list";
import { Time } from "../ui/show";
import { toast } from "../ui/toast";

export function Origins() {
	const [adding, add] = useState(false);
	const path = { integratorId: workspaceId() };
	const got = useRead("origins", ["workspace.*"], (signal) => listReturnOrigins({ path }, { signal }));
	const send = async (origin: string) => {
		await addReturnOrigin({ path, body: { origin: origin.trim() } });
		toast("Registered. Each admin gets a mail about it.");
		add(false);
		got.again();
	};
	const remove = (o: ReturnOrigin) => removeReturnOrigin({ path: { ...path, id: o.id } }).then(() => {
		toast("Removed: no link leads there any more");
		got.again();
	}, (e: Error) => toast(e.message, "bad"));
	return (
		<section>
			<div class="head"><h2>Where the passkey page leads back to</h2>
				<button type="button" onClick={() => add(true)}>Add a website</button></div>
			<p>Links that your programs make with <code>returnUrl</code> end in a button to one of these, and to nowhere else.</p>
			<Readable of={got}>
				{({ data }) => data.length === 0 ? <p class="quiet">None but this dashboard.</p> : (
					<Table rows={data} label="Websites" id={(o) => o.id} columns={[
						{ head: "Origin", cell: (o) => <code>{o.origin}</code> }, { head: "Since", cell: (o) => <Time of={o.createdAt} /> },
						{ head: "Action", cell: (o) => <button type="button" onClick={() => void remove(o)}>Remove</button> },
					]} />
				)}
			</Readable>
			{adding && (
				<Dialog title="A website of yours" onClose={() => add(false)}>
					<Form button="Register it" send={(v) => send(v.origin)} onCancel={() => add(false)}>
						{(error) => <Field name="origin" label="Origin" required maxLength={200} error={error("origin")}
							hint="Scheme, host and port as a browser shows them: https://app.example.com" />}
					</Form>
				</Dialog>
			)}
		</section>
	);
}
