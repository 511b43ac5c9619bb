import {
  artifactFilesMax,
  inlineOutputMaxBytes,
  inputFileMaxBytes,
  logMaxBytes,
  outputMaxBytes,
  runInputMaxBytes,
  timeoutDefaultSeconds,
  timeoutMaxSeconds,
} from '@sandbox-jobs/contract/limits.ts'
import { type Html, html } from './html.ts'

const parts = {
  'what-is-a-run': 'What a run is',
  'first-run': 'A first run in three requests',
  'agents-and-doors': 'Agents and other platforms',
  errors: 'Errors',
  limits: 'Limits',
} as const

export const introductionContents = (): Html =>
  html`<ul class="start">${Object.entries(parts).map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>`

/** The first part of the page, before the reference. The script makes samples of the requests with the reader's own key, room and task. */
export function introduction(base: string): Html {
  const texts: Record<keyof typeof parts, Html> = {
    'what-is-a-run': whatIsARun,
    'first-run': firstRun(base),
    'agents-and-doors': agentsAndDoors(base),
    errors,
    limits,
  }
  return html`<div class="start">${Object.entries(parts).map(
    ([id, title]) => html`<section id="${id}"><h2>${title}</h2>${texts[id as keyof typeof parts]}</section>`,
  )}</div>`
}

const whatIsARun = html`
<p>A <b>run</b> is one execution of a program in a sandbox of its own. It gets an input, which is JSON, and leaves an output, a log and
files. It belongs to a <b>room</b>: whoever may enter the room sees it.</p>
<p>The program is a <b>task</b>: scripts on an <b>environment</b>, which is a container image that was built here from a Dockerfile. A
published <b>task version</b> never changes. Rooms use the tasks that are shared with them: the <b>menu</b> of a room lists them.</p>
<p>A run is queued, starts when there is a place for it, and ends as <code>completed</code>, <code>customer_failed</code> (the program),
<code>platform_failed</code> (the service) or <code>cancelled</code>.</p>`

const request = (operation: string, lines: string[]): Html =>
  html`<div data-start="${operation}"><pre tabindex="0">${lines.join(' \\\n  ')}</pre></div>`

const keyHeader = '-H "X-Api-Key: $SANDBOX_KEY"'

const firstRun = (base: string): Html => html`
<p>An administrator of your company makes an API key. One with sandbox scope is enough, and it names its rooms. Or use your login.</p>
<details id="credentials" open hidden><summary>Use your login or key here</summary></details>
<h3>1. Find the room</h3>
${request('listOwnChatrooms', [`curl '${base}/private/module/sandbox_ext/chatrooms'`, keyHeader])}
<h3>2. Find the task in its menu</h3>
<p><code>task_version_id</code> names it, <code>input_schema</code> and <code>input_example</code> say what it takes.</p>
${request('readMenu', [`curl '${base}/private/module/sandbox/chatrooms/ROOM/menu'`, keyHeader])}
<h3>3. Run it, and get the output</h3>
<p>The answer has the output when the run ends within a minute; otherwise go on with <a href="#waitForRun">waitForRun</a>. A repeat with
the same <code>Idempotency-Key</code> starts no second run. Runs with files: <a href="#uploadInputFile">uploadInputFile</a> first.</p>
${request('runAndWait', [
  `curl -X POST '${base}/private/module/sandbox_ext/chatrooms/ROOM/run-and-wait'`,
  keyHeader,
  '-H "Idempotency-Key: $(uuidgen)"',
  "-H 'Content-Type: application/json'",
  `--data '{"task_version_id":"TASK_VERSION","input":{}}'`,
])}`

const agentsAndDoors = (base: string): Html => html`
<p><b>MCP.</b> An agent gets the tools of a room at <code>${base}/mcp/chatrooms/ROOM</code>: the client logs its person in by OAuth, or sends
a login token or a full-scope key. What is risky becomes a proposal, which its person confirms at <code>${base}/confirm/...</code>.</p>
<p><b>Turns.</b> A chat platform posts each message with <a href="#postMessage">postMessage</a> and gives its agent the signed context, good
for ten minutes: at <code>${base}/mcp</code>, or with <a href="#callAgentTool">callAgentTool</a>.</p>
<p><b>Doors.</b> A platform that has a code tool today changes one address and one key: <code>${base}/doors/dify</code>,
<code>/doors/piston</code>, <code>/doors/librechat</code>, <code>/doors/open_terminal</code>. A manager of the room makes the key with
<a href="#createDoor">createDoor</a>.</p>
<p><b>Events.</b> <a href="#createWebhook">Webhooks</a> post what happened, signed. <a href="#followRunEvents">Streams</a> tell the states of
a run while it goes on.</p>`

const errors = html`
<p>Every error is <code>{"detail": ...}</code>. There are three forms:</p>
<table>
<tr><th scope="row">an object</th><td><code>{"code": "not_found", "message": "..."}</code>: the service refuses the request. Decide by <code>code</code>; each operation lists its codes.</td></tr>
<tr><th scope="row">a list</th><td><code>[{"type": "missing", "loc": ["body", "input"], "msg": "..."}]</code>, always 422: path, query or body are not of the right form.</td></tr>
<tr><th scope="row">a text</th><td><code>"Could not validate credentials"</code>: 418 for a wrong login or key, 403 for a key or role that may not, 405 for a method that is not there.</td></tr>
</table>
<p>Repeat after 429 and 503, after <code>Retry-After</code> seconds; after 502, 504 and broken connections only what reads or has an
<code>Idempotency-Key</code>. <code>X-Request-Id</code> of any answer lets the operator find it. The typed client makes one error of all
three.</p>`

const mib = (bytes: number): string =>
  bytes < 1024 ** 2 ? `${bytes / 1024} KiB` : `${bytes / 1024 ** 2} MiB`

const limits = html`
<table>
<tr><th scope="row">Input</th><td>${mib(runInputMaxBytes)} of JSON; files of ${mib(inputFileMaxBytes)} each</td></tr>
<tr><th scope="row">Output</th><td>${mib(outputMaxBytes)}, of which up to ${mib(inlineOutputMaxBytes)} are in answers</td></tr>
<tr><th scope="row">Log</th><td>${mib(logMaxBytes)}; of a longer one the start and the end are kept</td></tr>
<tr><th scope="row">Files that it leaves</th><td>${artifactFilesMax}, below <code>/workspace/artifacts</code></td></tr>
<tr><th scope="row">Time</th><td>${timeoutDefaultSeconds} seconds unless the task says otherwise, at most ${timeoutMaxSeconds}</td></tr>
<tr><th scope="row">Memory, processors, disk</th><td>by the profile of the environment: <a href="#listProfiles">listProfiles</a></td></tr>
</table>
<p>Requests of one company are served in turn with those of others. 429 says when to come again.</p>`
