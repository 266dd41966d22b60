// The check of the business: a form in sections, each saved by itself, with what is still missing, and what became of it.
import { useState } from "preact/hooks";
import {
	addKybDocument, deleteKybDocument, getKybForm, submitKybForm, updateKybForm,
	type KYB, type KYBChange, type KYBPerson, type KYBPersonRequest, type PostalAddress,
} from "../api/generated";
import { useRead, type Read } from "../api/read";
import { may } from "../me";
import { Dialog } from "../ui/dialog";
import { Field, Form, type Values } from "../ui/form";
import { Readable, Table } from "../ui/list";
import { Facts, Status, Time } from "../ui/show";
import { toast } from "../ui/toast";
import { words } from "../ui/words";

type Answer = Awaited<ReturnType<typeof getKybForm>>;

export function Kyb() {
	const got = useRead("kyb", ["workspace.*"], (signal) => getKybForm({}, { signal }));
	return (
		<>
			<p class="up"><a href="/workspace">Workspace</a></p>
			<h1>Check of your business</h1>
			<Readable of={got}>{({ data }) => <Whole of={data} read={got} />}</Readable>
		</>
	);
}

const told: { [state in KYB["state"]]: string } = {
	draft: "Fill in the sections in any order. Each is saved by itself; others of your team see it at once.",
	submitted: "It was handed in, and waits for its check.", in_review: "Somebody looks at it. You get a mail when it is decided.",
	approved: "Your business is approved: payouts are open.", rejected: "Your business was not approved.",
	more_information: "The check needs more. Change what is asked for, and hand it in again.",
};

function Whole({ of: k, read }: { of: KYB; read: Read<Answer> }) {
	const open = (k.state === "draft" || k.state === "more_information") && may("manage");
	const save = async (change: Omit<KYBChange, "version">) => {
		try {
			await updateKybForm({ body: { version: k.version, ...change } });
			toast("Saved");
		} finally {
			read.again(); // also where somebody else had changed it: the next try is of what is there now
		}
	};
	const submit = async () => {
		await submitKybForm({ body: { version: k.version } });
		toast("Handed in");
		read.again();
	};
	return (
		<>
			<p data-version={k.version}><Status of={k.state} /></p>
			<p>{told[k.state]}</p>
			{k.reason && <div class="problem"><p><bdi>{k.reason}</bdi></p></div>}
			{open && (
				k.completion.complete
					? <Form button="Hand it in" send={submit}>{() => <p>Everything is there.</p>}</Form>
					: <Missing of={k} />
			)}
			<Business of={k} save={open ? save : undefined} />
			<Addresses of={k} save={open ? save : undefined} />
			<Activity of={k} save={open ? save : undefined} />
			<People of={k} save={open ? save : undefined} />
			<Documents of={k} open={open} read={read} />
		</>
	);
}

function Missing({ of: k }: { of: KYB }) {
	const all = k.completion.sections.flatMap((s) => s.missing.map((m) => ({ ...m, section: s.section })));
	return (
		<details open={k.version > 0}>
			<summary>{all.length} {all.length === 1 ? "thing is" : "things are"} missing</summary>
			<ul>{all.map((m) => <li key={m.section + m.field}>{m.message}</li>)}</ul>
		</details>
	);
}

type Section = { of: KYB; save?: (change: Omit<KYBChange, "version">) => Promise<void> };

const types = ["", "llc", "corporation", "partnership", "cooperative", "sole_prop", "trust", "other"]
	.map((t) => [t, t === "" ? "Choose" : t === "llc" ? "Limited liability company" : t === "sole_prop" ? "Sole proprietorship" : words(t)] as const);

function Business({ of: { business: b }, save }: Section) {
	const send = (v: Values) => save?.({ business: {
		legalName: v.legalName, type: (v.type || undefined) as NonNullable<KYBChange["business"]>["type"],
		registrationNumber: v.registrationNumber || undefined, taxId: v.taxId || undefined,
	} }) ?? Promise.resolve();
	const ends = (four: string) => (four ? `Saved; it ends in ${four}. Empty: it stays` : undefined);
	return (
		<section>
			<h2>The business</h2>
			{save ? (
				<Form button="Save" send={send}>
					{(error) => (
						<>
							<Field name="legalName" label="Name, as it is registered" value={b.legalName} maxLength={200} error={error("legalName")} />
							<Field name="type" label="Kind" options={types} value={b.type} error={error("type")} />
							<Field name="registrationNumber" label="Number at the register of companies" maxLength={64}
								hint={ends(b.registrationNumberLastFour)} error={error("registrationNumber")} />
							<Field name="taxId" label="Tax number" maxLength={64} hint={ends(b.taxIdLastFour)} error={error("taxId")} />
						</>
					)}
				</Form>
			) : <Facts of={[["Name", <bdi>{b.legalName}</bdi>], ["Kind", b.type && words(b.type)],
				["Registered under", b.registrationNumberLastFour && "…" + b.registrationNumberLastFour],
				["Tax number", b.taxIdLastFour && "…" + b.taxIdLastFour]]} />}
		</section>
	);
}

const empty: PostalAddress = { street: "", city: "", country: "" };

// address reads the fields of an address, which Address makes. One without a street is none.
const address = (v: Values, name: string) => v[name + "Street"] === "" ? undefined : {
	street: v[name + "Street"], city: v[name + "City"], postalCode: v[name + "PostalCode"] || undefined,
	state: v[name + "State"] || undefined, country: v[name + "Country"].toUpperCase(),
};

function Address({ name, legend, of, error }: {
	name: string; legend: string; of?: PostalAddress | null; error: (field: string) => string | undefined;
}) {
	const a = of ?? empty;
	return (
		<fieldset>
			<legend>{legend}</legend>
			<Field name={name + "Street"} label="Street and number" value={a.street} maxLength={200} error={error("street")} />
			<Field name={name + "PostalCode"} label="Postal code" required={false} value={a.postalCode} maxLength={20} error={error("postalCode")} />
			<Field name={name + "City"} label="City" value={a.city} maxLength={100} error={error("city")} />
			<Field name={name + "State"} label="State or region" required={false} value={a.state} maxLength={100} error={error("state")} />
			<Field name={name + "Country"} label="Country" value={a.country} maxLength={2} pattern="[A-Za-z]{2}" hint="Two letters, such as MX" error={error("country")} />
		</fieldset>
	);
}

const oneLine = (a?: PostalAddress | null) =>
	a ? [a.street, a.postalCode, a.city, a.state, a.country].filter(Boolean).join(", ") : undefined;

function Addresses({ of: { addresses: a }, save }: Section) {
	const send = (v: Values) => save?.({ addresses: { registered: address(v, "registered"), operating: address(v, "operating") } })
		?? Promise.resolve();
	return (
		<section>
			<h2>Where it is</h2>
			{save ? (
				<Form button="Save" send={send}>
					{(error) => (
						<>
							<Address name="registered" legend="Registered at" of={a.registered} error={error} />
							<Address name="operating" legend="Works at, if elsewhere" of={a.operating} error={error} />
						</>
					)}
				</Form>
			) : <Facts of={[["Registered at", oneLine(a.registered)], ["Works at", oneLine(a.operating)]]} />}
		</section>
	);
}

const funds = ["", "sales_of_goods_and_services", "owners_capital", "investment_proceeds", "business_loans", "treasury_reserves",
	"inter_company_funds", "sale_of_assets", "grants", "legal_settlement", "third_party_funds"]
	.map((f) => [f, f === "" ? "Choose" : words(f)] as const);

function Activity({ of: { activity: a }, save }: Section) {
	const send = (v: Values) => save?.({ activity: {
		website: v.website, description: v.description, expectedVolumeUsd: v.expectedVolumeUsd,
		sourceOfFunds: (v.sourceOfFunds || undefined) as NonNullable<KYBChange["activity"]>["sourceOfFunds"],
	} }) ?? Promise.resolve();
	return (
		<section>
			<h2>What it does</h2>
			{save ? (
				<Form button="Save" send={send}>
					{(error) => (
						<>
							<Field name="description" label="What the business does" rows={4} value={a.description} maxLength={1000} error={error("description")} />
							<Field name="website" label="Website" required={false} value={a.website} maxLength={200} hint="With https://" error={error("website")} />
							<Field name="sourceOfFunds" label="Where its money comes from" options={funds} value={a.sourceOfFunds} error={error("sourceOfFunds")} />
							<Field name="expectedVolumeUsd" label="Payouts a month, in USD" inputMode="decimal" value={a.expectedVolumeUsd} maxLength={16}
								error={error("expectedVolumeUsd")} />
						</>
					)}
				</Form>
			) : <Facts of={[["What it does", <bdi>{a.description}</bdi>], ["Website", <bdi>{a.website}</bdi>],
				["Money from", a.sourceOfFunds && words(a.sourceOfFunds)], ["Payouts a month", a.expectedVolumeUsd && `${a.expectedVolumeUsd} USD`]]} />}
		</section>
	);
}

const request = (p: KYBPerson): KYBPersonRequest => ({ ...p, address: p.address ?? undefined });

function People({ of: k, save }: Section) {
	const [editing, edit] = useState<KYBPerson | "new">();
	const put = async (person: KYBPersonRequest, all: boolean) => {
		const others = k.people.filter((p) => p.id !== person.id).map(request);
		await save?.({ people: [...others, person], allOwnersListed: all });
		edit(undefined);
	};
	const remove = (p: KYBPerson) => void save?.({ people: k.people.filter((q) => q.id !== p.id).map(request) })
		.catch((e: Error) => toast(e.message, "bad"));
	return (
		<section>
			<div class="head"><h2>Who is behind it</h2>
				{save && <button type="button" onClick={() => edit("new")}>Add a person</button>}</div>
			<p>Everybody who owns 25 % or more, somebody who decides for the business, and somebody who may sign for it.</p>
			{k.people.length === 0 ? <p class="quiet">Nobody yet.</p> : (
				<Table rows={k.people} label="Who is behind it" id={(p) => p.id} columns={[
					{ head: "Name", cell: (p) => <bdi class="name">{p.name}</bdi> },
					{ head: "Owns", cell: (p) => (p.ownershipPercent === undefined ? "–" : `${p.ownershipPercent} %`), right: true },
					{ head: "Part", cell: (p) => [p.hasControl && "decides", p.isSigner && "signs"].filter(Boolean).join(", ") || "–" },
					...(save ? [{ head: "Action", cell: (p: KYBPerson) => (
						<><button type="button" onClick={() => edit(p)}>Change</button>{" "}
							<button type="button" onClick={() => remove(p)}>Remove</button></>
					) }] : []),
				]} />
			)}
			{k.allOwnersListed && <p class="quiet">All owners of 25 % or more are listed.</p>}
			{editing && <Person of={editing === "new" ? undefined : editing} all={k.allOwnersListed} put={put} onClose={() => edit(undefined)} />}
		</section>
	);
}

function Person({ of: p, all, put, onClose }: {
	of?: KYBPerson; all: boolean; put: (person: KYBPersonRequest, all: boolean) => Promise<void>; onClose: () => void;
}) {
	const send = (v: Values) => put({
		id: p?.id, name: v.name, birthDate: v.birthDate || undefined, address: address(v, "home"),
		ownershipPercent: v.ownershipPercent === "" ? undefined : Number(v.ownershipPercent),
		hasControl: v.hasControl === "yes", isSigner: v.isSigner === "yes",
	}, v.all === "yes");
	const yes = [["no", "No"], ["yes", "Yes"]] as const;
	return (
		<Dialog title={p ? p.name : "A person behind the business"} onClose={onClose}>
			<Form button="Save" send={send} onCancel={onClose}>
				{(error) => (
					<>
						<Field name="name" label="Name" value={p?.name} required maxLength={200} error={error("name")} />
						<Field name="birthDate" label="Born on" type="date" value={p?.birthDate} error={error("birthDate")} />
						<Field name="ownershipPercent" label="Owns, in percent" inputMode="decimal" error={error("ownershipPercent")}
							value={p?.ownershipPercent === undefined ? "" : String(p.ownershipPercent)} />
						<Field name="hasControl" label="Decides for the business" options={yes} value={p?.hasControl ? "yes" : "no"} />
						<Field name="isSigner" label="May sign for it" options={yes} value={p?.isSigner ? "yes" : "no"} />
						<Address name="home" legend="Lives at" of={p?.address} error={error} />
						<Field name="all" label="Everybody who owns 25 % or more is listed then" options={yes} value={all ? "yes" : "no"} />
					</>
				)}
			</Form>
		</Dialog>
	);
}

const kinds = [["formation", "Formation: extract of the register, articles"], ["ownership", "Ownership"], ["address_proof", "Proof of the address"],
	["identity", "Identity of a person"], ["other", "Something else"]] as const;
type Kind = KYB["documents"][number]["kind"];

function Documents({ of: k, open, read }: { of: KYB; open: boolean; read: Read<Answer> }) {
	const [kind, choose] = useState<string>("formation");
	const send = async (v: Values) => {
		const file = (document.getElementById("kyb-file") as HTMLInputElement).files?.[0];
		if (!file) throw new Error("Choose a file: a PDF, PNG or JPEG of at most 512 KiB.");
		if (file.size > 512 * 1024) throw new Error(`The file has ${Math.ceil(file.size / 1024)} KiB; 512 are taken.`);
		const content = btoa(Array.from(new Uint8Array(await file.arrayBuffer()), (b) => String.fromCharCode(b)).join(""));
		await addKybDocument({ body: { kind: v.kind as Kind, personId: v.personId || undefined, name: file.name.slice(-100), content } });
		toast("The file is there");
		read.again();
	};
	const remove = (id: string) => deleteKybDocument({ path: { id } }).then(() => read.again(), (e: Error) => toast(e.message, "bad"));
	return (
		<section>
			<h2>Documents</h2>
			{k.documents.length === 0 ? <p class="quiet">None yet.</p> : (
				<Table rows={k.documents} label="Documents" id={(d) => d.id} columns={[
					{ head: "File", cell: (d) => <bdi>{d.name}</bdi> }, { head: "Kind", cell: (d) => words(d.kind) },
					{ head: "Of", cell: (d) => <bdi>{k.people.find((p) => p.id === d.personId)?.name}</bdi> },
					{ head: "Size", cell: (d) => `${Math.ceil(d.size / 1024)} KiB`, right: true }, { head: "Since", cell: (d) => <Time of={d.createdAt} /> },
					...(open ? [{ head: "Action", cell: (d: KYB["documents"][number]) =>
						<button type="button" onClick={() => void remove(d.id)}>Remove</button> }] : []),
				]} />
			)}
			{open && (
				<Form button="Send the file" send={send}>
					{(error) => (
						<>
							<Field name="kind" label="Kind" options={kinds} value={kind} onInput={choose} error={error("kind")} />
							{kind === "identity" && <Field name="personId" label="Of whom" error={error("personId")}
								options={k.people.map((p) => [p.id, p.name] as const)} />}
							<div class="field">
								<label for="kyb-file">File</label>
								<input id="kyb-file" type="file" accept="application/pdf,image/png,image/jpeg" />
								<p class="hint">A PDF, PNG or JPEG of at most 512 KiB. Nobody but whoever decides can open it.</p>
							</div>
						</>
					)}
				</Form>
			)}
		</section>
	);
}
