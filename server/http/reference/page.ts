import type { ApiDocument, Entry } from './document.ts'
import { type Html, html } from './html.ts'
import { introduction, introductionContents } from './introduction.ts'
import { operationSection, wordsOf } from './operation.ts'
import { fieldTable, schemaText } from './schema-text.ts'

/**
 * The document as one page that can be read without its script: how to begin, every operation by group, then every schema. The
 * script adds search, credentials, and a form to try each operation.
 */
export function referencePage(
  document: ApiDocument,
  { style, script }: { style: string; script: string },
): string {
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )
  const { title, version } = document.info
  const base = document.servers[0]?.url ?? ''
  const tags = inOrder(document.tags.map(({ name }) => name))
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} ${version}: API</title>
<style>STYLE</style>
</head>
<body>
<header>
<h1>${title} ${version}</h1>
<p>Programs of your company, run in sandboxes for people and agents in chatrooms. For programs: <a href="openapi.json">OpenAPI 3.1</a>,
the typed client <code>npm install ${base}/client.tgz</code>. For a terminal: <a href="cli" download="sandbox">the command
<code>sandbox</code></a>, one file for Node 20 or later; <code>chmod +x sandbox</code>, then <code>./sandbox --help</code>.</p>
</header>
<p class="search"><input id="search" type="search" aria-label="Search operations" placeholder="Search operations ( / )" hidden>
<output id="found" for="search"></output></p>
<div class="columns">
<nav aria-label="Contents">${introductionContents()}${tags.map((name) => contents(name, entries))}</nav>
<main>
${introduction(base)}
<h2>Reference: ${entries.length} operations</h2>
<p>Send <code>Authorization: Bearer</code> with a token of <a href="#createToken">createToken</a>, or an API key in <code>X-Api-Key</code>.</p>
${tags.map((name) => group(document, name, entries))}
<details class="group schemas"><summary><h2>Schemas</h2></summary>
${Object.entries(document.components.schemas).map(
  ([name, schema]) =>
    html`<section id="schema-${name}"><h3>${name}</h3>${
      schema.properties ? fieldTable(schema) : html`<p>${schemaText(schema)}</p>`
    }</section>`,
)}</details>
</main>
</div>
<script type="module">SCRIPT</script>
</body>
</html>
`
  // Both must reach the page unchanged: the content security policy contains their digests.
  return page.text.replace('STYLE', () => style).replace('SCRIPT', () => script)
}

/** The parts that most readers look for come first. */
const first = ['Runs', 'Tasks', 'Environments']
const inOrder = (tags: string[]): string[] => [...first, ...tags.filter((tag) => !first.includes(tag))]

const ofTag = (tag: string, entries: Entry[]) =>
  entries.filter(({ operation }) => operation.tags.includes(tag))

const contents = (tag: string, entries: Entry[]): Html =>
  html`<details data-group><summary>${tag}</summary><ul>${ofTag(tag, entries).map(
    (entry) =>
      html`<li data-words="${wordsOf(entry)}"><a href="#${entry.operation.operationId}">${entry.operation.operationId}</a></li>`,
  )}</ul></details>`

const group = (document: ApiDocument, tag: string, entries: Entry[]): Html =>
  html`<details class="group" data-group><summary><h2>${tag}</h2> <span>${ofTag(tag, entries).length}</span></summary>${ofTag(
    tag,
    entries,
  ).map((entry) => operationSection(document, entry))}</details>`
