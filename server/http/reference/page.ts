import { type Answer, type ApiDocument, nameOf, type Operation, type Reference } from './document.ts'
import { type Html, html } from './html.ts'
import { fieldTable, schemaText } from './schema-text.ts'

interface Entry {
  method: string
  path: string
  operation: Operation
}

/** The document as one readable page: every operation by tag, then every schema. */
export function referencePage(document: ApiDocument, style: string): string {
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )
  const { title, version } = document.info
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} ${version}</title>
<style>STYLE</style>
</head>
<body>
<header>
<h1>${title} ${version}</h1>
<p>${entries.length} operations. The same as <a href="/openapi.json">OpenAPI 3.1</a>. Send
<code>Authorization: Bearer</code> with a token of <a href="#createToken">createToken</a>, or an API key in
<code>X-Api-Key</code>.</p>
</header>
<nav aria-label="Operations">${document.tags.map(({ name }) => contents(name, entries))}</nav>
<main>
${document.tags.map(({ name }) => area(document, name, entries))}
<h2>Schemas</h2>
${Object.entries(document.components.schemas).map(
  ([name, schema]) =>
    html`<section id="schema-${name}"><h3>${name}</h3>${
      schema.properties ? fieldTable(schema) : html`<p>${schemaText(schema)}</p>`
    }</section>`,
)}
</main>
</body>
</html>
`
  // The style must reach the page unchanged: the content security policy contains its digest.
  return page.text.replace('STYLE', () => style)
}

const ofTag = (tag: string, entries: Entry[]) =>
  entries.filter(({ operation }) => operation.tags.includes(tag))

const contents = (tag: string, entries: Entry[]): Html =>
  html`<h2>${tag}</h2><ul>${ofTag(tag, entries).map(
    ({ operation }) => html`<li><a href="#${operation.operationId}">${operation.operationId}</a></li>`,
  )}</ul>`

const area = (document: ApiDocument, tag: string, entries: Entry[]): Html =>
  html`<h2>${tag}</h2>${ofTag(tag, entries).map((entry) => section(document, entry))}`

const section = (document: ApiDocument, { method, path, operation }: Entry): Html => html`
<section id="${operation.operationId}">
<h3><span class="method">${method.toUpperCase()}</span> <code>${path}</code></h3>
<p>${operation.summary}.${operation.security.length === 0 ? ' No login.' : ''}</p>
<details><summary>Request and answers of ${operation.operationId}</summary>
${parameters(operation)}${body(operation)}
<h4>Answers</h4>
<table>${Object.entries(operation.responses).map(
  ([status, answer]) =>
    html`<tr><th scope="row">${status}</th><td>${answerWords(document, answer)}</td></tr>`,
)}</table>
</details>
</section>`

function parameters({ parameters: all }: Operation): Html {
  if (all.length === 0) return html``
  const rows = all.map(
    ({ name, in: place, required, schema }) => html`<tr>
      <th scope="row"><code>${name}</code></th><td>${place}${required ? '' : ', optional'}</td>
      <td>${schemaText(schema)}</td></tr>`,
  )
  return html`<h4>Parameters</h4><table>${rows}</table>`
}

function body({ requestBody }: Operation): Html {
  if (!requestBody) return html``
  const kinds = Object.entries(requestBody.content).map(
    ([type, { schema }]) => html`<p><code>${type}</code>: ${schemaText(schema)}</p>`,
  )
  return html`<h4>Body${requestBody.required ? '' : ', optional'}</h4>${kinds}`
}

function answerWords(document: ApiDocument, answer: Answer | Reference): Html {
  if ('$ref' in answer) {
    const named = document.components.responses[nameOf(answer.$ref)]
    return named ? answerWords(document, named) : html``
  }
  const schema = answer.content?.['application/json']?.schema
  const success = answer.description === 'Success'
  if (success) return schemaText(schema)
  return html`${answer.description.replaceAll('`', '').replaceAll('\n\n', ', ')}`
}
