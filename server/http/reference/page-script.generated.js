// Made by tools/write-docs-page.ts from the folder browser; do not edit.
// server/http/reference/browser/api-document.ts
let loading;
/** Every operation by its id; the document is loaded once, when it is first needed. */
function operations() {
	loading ??= load();
	return loading;
}
async function load() {
	return operationsOf(await (await fetch("openapi.json")).json());
}
function operationsOf(api) {
	const all = Object.entries(api.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, described]) => operationOf(api, {
		method,
		path,
		described
	})));
	return new Map(all.map((operation) => [operation.operationId, operation]));
}
function operationOf(api, { method, path, described }) {
	const [body] = Object.entries(described.requestBody?.content ?? {});
	const [named] = Object.keys(body?.[1].examples ?? {});
	return {
		method: method.toUpperCase(),
		path,
		operationId: described.operationId,
		parameters: described.parameters,
		needsLogin: described.security.length > 0,
		mediaType: body?.[0],
		example: shortest(api, body?.[1].schema, named === void 0 ? body?.[1].example : api.components.examples[named]?.value),
		streams: "text/event-stream" in (answerOf(api, described.responses["200"])?.content ?? {})
	};
}
const answerOf = ({ components }, answer) => answer && "$ref" in answer ? components.responses[nameOf(answer.$ref)] : answer;
const nameOf = (reference) => reference.slice(reference.lastIndexOf("/") + 1);
/** The example without what may be left out. If nothing is required, as in a change, its first field. */
function shortest(api, schema, example) {
	if (typeof example !== "object" || example === null || Array.isArray(example)) return example;
	const found = schema?.$ref ? api.components.schemas[nameOf(schema.$ref)] : schema;
	if (!found?.properties) return example;
	const entries = Object.entries(example);
	const needed = entries.filter(([name]) => found.required?.includes(name));
	const kept = needed.length > 0 ? needed : entries.slice(0, 1);
	return Object.fromEntries(kept.map(([name, value]) => [name, shortest(api, found.properties?.[name], value)]));
}
// server/http/reference/browser/caller.ts
const caller = {
	credential: void 0,
	room: "",
	task: void 0
};
const listeners = /* @__PURE__ */ new Set();
function change(next) {
	Object.assign(caller, next);
	for (const listener of listeners) listener();
}
const whenChanged = (listener) => void listeners.add(listener);
function credentialHeaders() {
	const { credential } = caller;
	if (!credential) return {};
	return credential.kind === "key" ? { "X-Api-Key": credential.value } : { Authorization: `Bearer ${credential.value}` };
}
// server/http/reference/browser/elements.ts
/** A new element. Text becomes text nodes, never HTML: responses of the service are shown with it. */
function element(tag, attributes = {}, ...children) {
	const made = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes)) if (value !== false) made.setAttribute(name, value === true ? "" : value);
	made.append(...children);
	return made;
}
function button(label, press) {
	const made = element("button", { type: "button" }, label);
	made.addEventListener("click", press);
	return made;
}
/** The element of the page with that id, which the service wrote. */
function byId(id) {
	const found = document.getElementById(id);
	if (!found) throw new Error(`the page has no element ${id}`);
	return found;
}
// server/http/reference/browser/credentials.ts
const field = (label, attributes) => {
	const input = element("input", {
		autocomplete: "off",
		spellcheck: "false",
		...attributes
	});
	return [element("label", {}, `${label} `, input), input];
};
/** A list to choose from, hidden while it is empty. */
function choice(label, choose) {
	const select = element("select");
	const view = element("label", { hidden: true }, `${label} `, select);
	let items = [];
	select.addEventListener("change", () => choose(items[select.selectedIndex]));
	const offer = (next, nameOf) => {
		items = next;
		select.replaceChildren(...next.map((item) => element("option", {}, nameOf(item))));
		view.hidden = next.length === 0;
		choose(next[0]);
	};
	return {
		view,
		offer
	};
}
async function itemsOf(path) {
	const response = await fetch(path, { headers: credentialHeaders() });
	return response.ok ? (await response.json()).items : [];
}
/** Fills the panel of the page with fields for an API key, or a login, and with the rooms and tasks that it opens. */
function mountCredentials() {
	const state = element("output", {}, "No credentials.");
	const task = choice("Task", (chosen) => change({ task: chosen }));
	const room = choice("Room", (chosen) => {
		change({ room: chosen?.id ?? "" });
		offerTasks().catch(() => {});
	});
	const offerTasks = async () => {
		const { room: id } = caller;
		const tasks = id === "" ? [] : await itemsOf(`private/module/sandbox/chatrooms/${id}/menu`);
		if (id === caller.room) task.offer(tasks, ({ task_name: name }) => name);
	};
	const offerRooms = async ({ value }) => {
		const rooms = await itemsOf("private/module/sandbox_ext/chatrooms?page_size=100");
		if (value === caller.credential?.value) room.offer(rooms, ({ name }) => name);
	};
	const use = (credential, words) => {
		state.textContent = words;
		change({ credential });
		if (credential) offerRooms(credential).catch(() => {});
		else room.offer([], () => "");
	};
	const [keyLabel, key] = field("API key", {
		type: "password",
		id: "api-key"
	});
	const [nameLabel, name] = field("Login name", { id: "login-name" });
	const [passwordLabel, password] = field("Password", {
		type: "password",
		id: "login-password"
	});
	key.addEventListener("change", () => {
		const value = key.value.trim();
		if (value === "") use(void 0, "No credentials.");
		else use({
			kind: "key",
			value
		}, "Requests are sent with the API key.");
	});
	const logIn = async () => {
		const response = await fetch("public/auth/token", {
			method: "POST",
			body: new URLSearchParams({
				username: name.value,
				password: password.value
			})
		});
		password.value = "";
		if (!response.ok) return use(void 0, "The login name or the password is wrong.");
		const { access_token: value } = await response.json();
		use({
			kind: "login",
			value
		}, `Requests are sent as ${name.value}.`);
	};
	const forget = () => {
		for (const input of [
			key,
			name,
			password
		]) input.value = "";
		use(void 0, "No credentials.");
	};
	const panel = byId("credentials");
	panel.hidden = false;
	panel.append(element("p", {}, "Kept in the memory of this page alone: closing or reloading it forgets them."), element("div", { class: "fields" }, keyLabel), element("div", { class: "fields" }, nameLabel, passwordLabel, button("Log in", () => {
		logIn().catch(() => use(void 0, "The service cannot be reached."));
	})), element("div", { class: "fields" }, room.view, task.view), element("div", { class: "fields" }, state, button("Forget", forget)));
}
// server/http/reference/browser/samples.ts
/** Placeholders for what nobody has filled in, so that a sample shows where it belongs. */
function urlOf(base, operation, filled) {
	const path = operation.path.replaceAll(/\{(\w+)\}/g, (placeholder, name) => {
		const value = filled.path[name] ?? "";
		return value === "" ? placeholder : encodeURIComponent(value);
	});
	const pairs = Object.entries(filled.query).flatMap(([name, values]) => values.map((value) => [name, value]));
	const query = new URLSearchParams(pairs).toString();
	return `${base}${path}${query === "" ? "" : `?${query}`}`;
}
/** Text as one word of a shell. */
const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
function curlCredential(credential) {
	if (!credential) return "-H \"X-Api-Key: $SANDBOX_KEY\"";
	const { kind, value } = credential;
	return `-H ${quoted(kind === "key" ? `X-Api-Key: ${value}` : `Authorization: Bearer ${value}`)}`;
}
function curlSample(base, operation, filled) {
	const lines = [`curl ${operation.streams ? "-N " : ""}-X ${operation.method} ${quoted(urlOf(base, operation, filled))}`];
	if (operation.needsLogin) lines.push(curlCredential(filled.credential));
	for (const [name, value] of Object.entries(filled.headers)) lines.push(`-H ${quoted(`${name}: ${value}`)}`);
	if (operation.mediaType === "multipart/form-data") lines.push(`-F 'file=@FILE'`);
	else if (operation.mediaType === "application/octet-stream") lines.push(`-H 'Content-Type: application/octet-stream'`, "--data-binary @FILE");
	else if (filled.body !== void 0 && operation.mediaType) lines.push(`-H ${quoted(`Content-Type: ${operation.mediaType}`)}`, `--data ${quoted(bodyText(operation, filled.body))}`);
	return lines.join(" \\\n  ");
}
function fetchSample(base, operation, filled) {
	const headers = [
		...operation.needsLogin ? [filled.credential?.kind === "login" ? "Authorization: 'Bearer ' + process.env.SANDBOX_TOKEN" : "'X-Api-Key': process.env.SANDBOX_KEY"] : [],
		...Object.entries(filled.headers).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
		...filled.body !== void 0 && operation.mediaType ? [`'Content-Type': ${JSON.stringify(operation.mediaType)}`] : []
	];
	const options = [
		`method: '${operation.method}'`,
		...headers.length > 0 ? [`headers: { ${headers.join(", ")} }`] : [],
		...filled.body === void 0 ? [] : [`body: ${fetchBody(operation, filled.body)}`]
	];
	return [
		`const response = await fetch(${JSON.stringify(urlOf(base, operation, filled))}, {`,
		...options.map((option) => `  ${option},`),
		"})",
		"if (!response.ok) throw new Error(response.status + ' ' + (await response.text()))",
		operation.streams ? "for await (const chunk of response.body) console.log(chunk)" : "console.log(await response.json())"
	].join("\n");
}
/** With the package `@sandbox-jobs/client`. */
function sdkSample(base, operation, filled) {
	const { "Idempotency-Key": key, ...headers } = filled.headers;
	const given = [
		...objectField("params", filled.path),
		...objectField("query", typedQuery(operation, filled)),
		...filled.body === void 0 ? [] : [`  body: ${indented(jsonText(filled.body))},`],
		...fileField(operation),
		...key === void 0 ? [] : [`  idempotencyKey: ${JSON.stringify(key)},`],
		...objectField("headers", headers)
	];
	const options = given.length > 0 ? `{\n${given.join("\n")}\n}` : "";
	const call = operation.streams ? [`for await (const event of sandbox.follow('${operation.operationId}', ${options})) console.log(event)`] : [`console.log(await sandbox.${operation.operationId}(${options}))`];
	return [
		"import { createSandbox } from '@sandbox-jobs/client'",
		"",
		`const sandbox = createSandbox({ baseUrl: ${JSON.stringify(base)}, ${filled.credential?.kind === "login" ? "token: process.env.SANDBOX_TOKEN" : "apiKey: process.env.SANDBOX_KEY"} })`,
		...call
	].join("\n");
}
const objectField = (name, value) => Object.keys(value).length > 0 ? [`  ${name}: ${JSON.stringify(value)},`] : [];
/** The query as the API types it: what a form holds is text. */
function typedQuery({ parameters }, { query }) {
	const typed = Object.entries(query).map(([name, values]) => {
		const type = parameters.find((parameter) => parameter.in === "query" && parameter.name === name)?.schema.type;
		const [value = ""] = values;
		if (type === "array") return [name, values];
		if (type === "integer" || type === "number") return [name, Number(value)];
		return [name, type === "boolean" ? value === "true" : value];
	});
	return Object.fromEntries(typed);
}
function fileField({ mediaType }) {
	if (mediaType === "multipart/form-data") return ["  file: new File(['content'], 'NAME'),"];
	return mediaType === "application/octet-stream" ? ["  upload: new Blob(['content']),"] : [];
}
const indented = (text) => text.replaceAll("\n", "\n  ");
/** JSON in a readable form, and other text as it is. */
function jsonText(text) {
	try {
		return JSON.stringify(JSON.parse(text), null, 2);
	} catch {
		return text;
	}
}
/** A form is filled in as JSON too, and sent as a form. */
function bodyText(operation, body) {
	if (operation.mediaType !== "application/x-www-form-urlencoded") return body;
	return new URLSearchParams(JSON.parse(body)).toString();
}
const fetchBody = (operation, body) => operation.mediaType === "application/json" ? `JSON.stringify(${indented(jsonText(body))})` : JSON.stringify(bodyText(operation, body));
// server/http/reference/browser/sample-tabs.ts
const kinds = {
	curl: curlSample,
	JavaScript: fetchSample,
	SDK: sdkSample
};
/** The reader's choice, for all samples of the page. */
let chosen = "curl";
const views = /* @__PURE__ */ new Set();
/** The same request in each language, one of which shows. `update` when what `filled` returns has changed. */
function sampleTabs(operation, filled) {
	const base = new URL(".", location.href).href.replace(/\/$/, "");
	const code = element("code");
	const pre = element("pre", { tabindex: "0" }, code);
	const text = (credential) => {
		try {
			return kinds[chosen](base, operation, {
				...filled(),
				credential
			});
		} catch {
			return "The body is not JSON.";
		}
	};
	const tabs = Object.keys(kinds).map((kind) => button(kind, () => {
		chosen = kind;
		for (const update of views) update();
	}));
	const copied = button("Copy", () => {
		copy(code, text(caller.credential)).then(() => {
			copied.textContent = "Copied";
			setTimeout(() => copied.replaceChildren("Copy"), 1500);
		}).catch(() => {});
	});
	copied.className = "copy";
	const update = () => {
		code.textContent = text(masked(caller.credential));
		for (const tab of tabs) tab.setAttribute("aria-pressed", String(tab.textContent === chosen));
	};
	views.add(update);
	whenChanged(update);
	update();
	return {
		update,
		view: element("div", { class: "samples" }, element("div", {
			class: "tabs",
			role: "group",
			"aria-label": "Sample as"
		}, ...tabs, copied), pre)
	};
}
/** As it is shown: whoever looks at the screen learns no key. A copy has the whole. */
const masked = (credential) => credential && {
	...credential,
	value: `${credential.value.slice(0, 4)}…`
};
/** The clipboard can be written only on pages that came over TLS or from this machine; others select the text. */
async function copy(place, text) {
	if (navigator.clipboard) return navigator.clipboard.writeText(text);
	place.textContent = text;
	getSelection()?.selectAllChildren(place);
}
// server/http/reference/browser/show-answer.ts
/** Characters of a response that the page shows: more would make it slow. */
const shownMax = 2e5;
/** Shows a response as text, an event stream as it comes. */
async function showAnswer(place, answer, startedAt) {
	const type = answer.headers.get("content-type") ?? "";
	const facts = [
		`${answer.status} ${answer.statusText}`,
		`${Math.round(performance.now() - startedAt)} ms`,
		type,
		`request ${answer.headers.get("x-request-id") ?? ""}`
	];
	const text = element("pre", { tabindex: "0" });
	place.replaceChildren(element("p", { class: answer.ok ? "good" : "bad" }, facts.join(" · ")), text);
	if (type.startsWith("text/event-stream") && answer.body) return follow$1(place, text, answer.body);
	if (/json|text|csv/.test(type)) text.textContent = cut(readable(await answer.text()));
	else text.textContent = `${(await answer.arrayBuffer()).byteLength} bytes`;
}
async function follow$1(place, text, body) {
	const reader = body.getReader();
	const decoder = new TextDecoder();
	place.append(button("Stop", () => {
		reader.cancel().catch(() => {});
	}));
	for (;;) {
		const { done, value } = await reader.read();
		if (done) return;
		text.textContent = (text.textContent + decoder.decode(value, { stream: true })).slice(-2e5);
	}
}
const cut = (text) => text.length > shownMax ? `${text.slice(0, shownMax)}\n… ${text.length - shownMax} more characters` : text;
function readable(text) {
	try {
		return JSON.stringify(JSON.parse(text), null, 2);
	} catch {
		return text;
	}
}
// server/http/reference/browser/try-it.ts
/** A value that was typed for a parameter is offered again where the same thing is asked for: examples name the kind. */
const typed = /* @__PURE__ */ new Map();
/** A form that sends the operation, and the same request as samples to copy. */
function tryIt(operation) {
	const fields = operation.parameters.map(fieldOf);
	const isFile = /multipart|octet-stream/.test(operation.mediaType ?? "");
	const body = element("textarea", {
		"aria-label": "Body",
		rows: "8",
		spellcheck: "false"
	});
	body.value = operation.example === void 0 ? "" : JSON.stringify(operation.example, null, 2);
	const file = element("input", {
		type: "file",
		"aria-label": "File"
	});
	const answer = element("div", {
		class: "answer",
		"aria-live": "polite"
	});
	const filled = () => filledIn(fields, operation.mediaType && !isFile ? body.value : void 0);
	const form = element("form", {}, ...fields.map(({ parameter, input }) => element("label", { title: parameter.description }, `${parameter.name}${parameter.required ? "" : " (optional)"} `, input)), ...operation.mediaType ? [element("label", {}, "Body ", isFile ? file : body)] : [], element("button", { type: "submit" }, "Send"));
	const samples = sampleTabs(operation, filled);
	form.addEventListener("input", samples.update);
	whenChanged(() => {
		for (const { parameter, input } of fields) if (parameter.name === "cid" && input.value === "") input.value = caller.room;
		samples.update();
	});
	form.addEventListener("submit", (event) => {
		event.preventDefault();
		send(operation, filled(), isFile ? file.files?.[0] : void 0, answer).catch((error) => {
			answer.replaceChildren(element("p", { class: "bad" }, String(error)));
		});
	});
	return element("div", { class: "try" }, element("h4", {}, "Try it"), form, answer, samples.view);
}
function fieldOf(parameter) {
	const given = parameter.name === "Idempotency-Key" ? newKey() : typed.get(parameter.example) ?? (parameter.name === "cid" ? caller.room : void 0);
	const input = element("input", {
		name: parameter.name,
		required: parameter.required,
		placeholder: asTyped(parameter.example),
		spellcheck: "false"
	});
	input.value = given ?? "";
	input.addEventListener("change", () => {
		if (parameter.in === "path") typed.set(parameter.example, input.value);
	});
	return {
		parameter,
		input
	};
}
/** An example as a person would type it: lists with commas. */
const asTyped = (example) => Array.isArray(example) ? example.join(",") : typeof example === "string" ? example : JSON.stringify(example ?? "");
/** `crypto.randomUUID` exists only on pages that came over TLS or from this machine. */
const newKey = () => [...crypto.getRandomValues(/* @__PURE__ */ new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
function filledIn(fields, body) {
	const filled = {
		path: {},
		query: {},
		headers: {},
		body
	};
	for (const { parameter, input } of fields) {
		const value = input.value.trim();
		if (parameter.in === "path") filled.path[parameter.name] = value;
		else if (value === "") continue;
		else if (parameter.in === "header") filled.headers[parameter.name] = value;
		else filled.query[parameter.name] = parameter.schema.type === "array" ? value.split(/[\s,]+/) : [value];
	}
	return filled;
}
async function send(operation, filled, file, answer) {
	const headers = new Headers({
		...credentialHeaders(),
		...filled.headers
	});
	let body;
	if (operation.mediaType === "multipart/form-data") {
		body = new FormData();
		if (file) body.append("file", file);
	} else if (operation.mediaType) {
		headers.set("Content-Type", operation.mediaType);
		body = file ?? bodyText(operation, filled.body ?? "");
	}
	answer.replaceChildren("Sending…");
	const startedAt = performance.now();
	const url = urlOf(".", operation, filled);
	await showAnswer(answer, await fetch(url, {
		method: operation.method,
		headers,
		...body !== void 0 && { body }
	}), startedAt);
}
// server/http/reference/browser/first-run.ts
const none = {
	path: {},
	query: {},
	headers: {},
	body: void 0
};
/** The first requests of the page with the key, the room and the task of whoever is at it. */
const requests = {
	listOwnChatrooms: () => none,
	readMenu: () => ({
		...none,
		path: room()
	}),
	runAndWait: () => ({
		...none,
		path: room(),
		headers: { "Idempotency-Key": key },
		body: body()
	})
};
const key = newKey();
const room = () => ({ cid: caller.room || "ROOM" });
function body() {
	const { task_version_id = "TASK_VERSION", input_example = "" } = caller.task ?? {};
	return JSON.stringify({
		task_version_id,
		input: jsonOf(input_example)
	}, null, 2);
}
function jsonOf(text) {
	try {
		return JSON.parse(text);
	} catch {
		return {};
	}
}
/** Replaces the samples that the page brings. */
async function mountFirstRun() {
	const all = await operations();
	for (const element of document.querySelectorAll("[data-start]")) {
		const name = element.dataset.start ?? "";
		const [operation, filled] = [all.get(name), requests[name]];
		if (operation && filled) element.replaceChildren(sampleTabs(operation, filled).view);
	}
}
// server/http/reference/browser/search.ts
/** Hides what does not have all words that were typed: operations, their links, and groups without any. */
function mountSearch() {
	const input = byId("search");
	const count = byId("found");
	const found = [...document.querySelectorAll("[data-words]")];
	const groups = [...document.querySelectorAll("[data-group]")];
	const folds = [...document.querySelectorAll("details[data-group]")];
	const search = () => {
		const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
		for (const one of found) one.hidden = !words.every((word) => one.dataset.words?.includes(word));
		for (const group of groups) group.hidden = !group.querySelector("[data-words]:not([hidden])");
		document.body.classList.toggle("searching", words.length > 0);
		for (const fold of folds) fold.open = words.length > 0;
		const shown = document.querySelectorAll("main [data-words]:not([hidden])").length;
		count.textContent = words.length > 0 ? `${shown} found` : "";
	};
	input.hidden = false;
	input.addEventListener("input", search);
	document.addEventListener("keydown", (event) => {
		const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
		if (event.key !== "/" || typing) return;
		event.preventDefault();
		input.focus();
	});
	search();
}
// server/http/reference/browser/main.ts
/** Adds to a page that can be read without scripts: search, credentials, and a form for each operation when it is opened. */
async function openOperation(details, name) {
	const operation = (await operations()).get(name);
	if (operation) details.querySelector("summary")?.after(tryIt(operation));
}
mountSearch();
mountCredentials();
mountFirstRun().catch(() => {});
for (const details of document.querySelectorAll("details[data-operation]")) {
	const open = () => {
		openOperation(details, details.dataset.operation ?? "").catch((error) => {
			details.append(`The API document cannot be loaded: ${String(error)}`);
		});
	};
	if (details.open) open();
	else details.addEventListener("toggle", open, { once: true });
}
/** A link to an operation opens it, and the groups that it is in. */
const follow = () => {
	const target = document.getElementById(location.hash.slice(1));
	const details = target?.querySelector("details");
	if (details) details.open = true;
	for (let group = target?.closest("details"); group; group = group.parentElement?.closest("details")) group.open = true;
	target?.scrollIntoView();
};
addEventListener("hashchange", follow);
if (location.hash !== "") follow();
