import {
  type Answer,
  type ApiDocument,
  type Entry,
  type Media,
  nameOf,
  type Operation,
  type Reference,
} from './document.ts'
import { type Html, html } from './html.ts'
import { defaultOf, exampleOf, prose, schemaText } from './schema-text.ts'

/** One operation: what it does, and behind a fold its parameters, bodies and answers. */
export function operationSection(document: ApiDocument, { method, path, operation }: Entry): Html {
  return html`
<section id="${operation.operationId}" data-words="${wordsOf({ method, path, operation })}">
<h3><a href="#${operation.operationId}">${operation.summary}</a></h3>
<p><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code></p>
${operation.description.split('\n\n').map((paragraph) => html`<p>${prose(paragraph)}</p>`)}
<details data-operation="${operation.operationId}"><summary>${operation.operationId}: request, answers, try it</summary>
${parameters(operation)}${body(document, operation)}
<h4>Answers</h4>
${success(document, operation)}
<table>${Object.entries(operation.responses).map(
    ([status, answer]) =>
      html`<tr><th scope="row">${status}</th><td>${answerWords(document, answer)}</td></tr>`,
  )}</table>
</details>
</section>`
}

/** The text that the search looks into, in lower case. */
export const wordsOf = ({ method, path, operation }: Entry): string =>
  [operation.operationId, method, path, operation.summary, operation.tags.join(' ')].join(' ').toLowerCase()

function parameters({ parameters: all }: Operation): Html {
  if (all.length === 0) return html``
  const rows = all.map(
    ({ name, in: place, required, description = '', schema, example }) => html`<tr>
      <th scope="row"><code>${name}</code></th><td>${place}${required ? '' : ', optional'}</td>
      <td><p>${prose(description)}</p>${schemaText(schema)}${defaultOf(schema)}${exampleOf(example)}</td></tr>`,
  )
  return html`<h4>Parameters</h4><table>${rows}</table>`
}

function body(document: ApiDocument, { requestBody }: Operation): Html {
  if (!requestBody) return html``
  return html`<h4>Body${requestBody.required ? '' : ', optional'}</h4>${media(document, requestBody.content)}`
}

const media = (document: ApiDocument, content: Record<string, Media>): Html[] =>
  Object.entries(content).map(
    ([type, { schema, example, examples }]) =>
      html`<p><code>${type}</code>: ${schemaText(schema)}</p>${exampleText(
        example ??
          Object.values(examples ?? {}).map(
            ({ $ref }) => document.components.examples[nameOf($ref)]?.value,
          )[0],
      )}`,
  )

const exampleText = (example: unknown): Html =>
  example === undefined
    ? html``
    : html`<pre tabindex="0">${typeof example === 'string' ? example : JSON.stringify(example, null, 2)}</pre>`

function success(document: ApiDocument, { responses }: Operation): Html {
  const answer = responses['200'] ?? responses['201']
  return html`${media(document, (answer && answerOf(document, answer))?.content ?? {})}`
}

const answerOf = ({ components }: ApiDocument, answer: Answer | Reference): Answer | undefined =>
  '$ref' in answer ? components.responses[nameOf(answer.$ref)] : answer

function answerWords(document: ApiDocument, answer: Answer | Reference): Html {
  const reasons = (answerOf(document, answer)?.description ?? '').split('\n\n')
  return html`${prose(reasons.reduce((said, next) => `${said}${said.endsWith('.') ? '' : ','} ${next}`))}`
}
