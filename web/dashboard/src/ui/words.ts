// Times, amounts and the API's constants as people read them.

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const minute = new Intl.DateTimeFormat("en-GB", {
	day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit",
});

export const date = (iso: string | null | undefined) => (iso ? day.format(new Date(iso)) : "");
export const time = (iso: string | null | undefined) => (iso ? minute.format(new Date(iso)) : "");

// left is how long something has still, such as "4 min".
export function left(iso: string, now = Date.now()): string {
	const seconds = Math.round((Date.parse(iso) - now) / 1000);
	if (seconds <= 0) return "over";
	if (seconds < 90) return `${seconds} s`;
	if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
	return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}

// words makes a constant such as awaiting_funds, ACTIVITY_TYPE_SIGN_INTENT or ADDRESS_FORMAT_ETHEREUM readable.
export function words(constant: string): string {
	const plain = constant.replace(/^(ACTIVITY_TYPE|ADDRESS_FORMAT|TRANSACTION_TYPE)_/, "")
		.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[_.]/g, " ").toLowerCase();
	return plain.charAt(0).toUpperCase() + plain.slice(1);
}

// amount puts thin spaces between the thousands of a decimal. It has two places at least where it has any, and no noughts
// behind them: 250.000000 is 250.00, and 0.0000010 is 0.000001. It is text from end to end, never a float.
export function amount(decimal: string): string {
	const [whole, places = ""] = decimal.split(".");
	const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
	const rest = places === "" ? "" : places.slice(0, 2).padEnd(2, "0") + places.slice(2).replace(/0+$/, "");
	return rest === "" ? grouped : `${grouped}.${rest}`;
}

// atMost is an upper bound in USD, in whole cents: 44.407404 is 44.41.
export function atMost(usd: string): string {
	const [whole, places = ""] = usd.split(".");
	const cents = BigInt(whole + places.slice(0, 2).padEnd(2, "0")) + (/[1-9]/.test(places.slice(2)) ? 1n : 0n);
	const text = String(cents).padStart(3, "0");
	return amount(`${text.slice(0, -2)}.${text.slice(-2)}`);
}

// listed are the values that somebody typed with spaces or commas between; none where nothing was typed.
export function listed(text: string): string[] | undefined {
	const all = text.split(/[\s,]+/).filter(Boolean);
	return all.length === 0 ? undefined : all;
}

// short is an id or an address by its two ends.
export const short = (id: string, ends = 6) => (id.length <= 2 * ends + 3 ? id : `${id.slice(0, ends)}…${id.slice(-ends + 2)}`);
