// The dashboard begins here: it finds out who is logged in, and shows the page that the path names.
import { render } from "preact";
import { Shell } from "./shell";
import { accessToken, session } from "./session";
import { sentence } from "./ui/problem";

const page = document.getElementById("page") as HTMLElement;

async function start() {
	try {
		await accessToken();
	} catch (e) {
		page.dataset.state = "failed";
		page.textContent = sentence(e);
		return;
	}
	render(<Shell />, page);
	page.dataset.state = session.value.state;
	session.subscribe((s) => (page.dataset.state = s.state));
}

void start();
