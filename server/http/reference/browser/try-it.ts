import type { Operation, Parameter } from './api-document.ts'
import { caller, credentialHeaders, whenChanged } from './caller.ts'
import { element } from './elements.ts'
import { sampleTabs } from './sample-tabs.ts'
import { bodyText, type Filled, urlOf } from './samples.ts'
import { showAnswer } from './show-answer.ts'

/** A value that was typed for a parameter is offered again where the same thing is asked for: examples name the kind. */
const typed = new Map<unknown, string>()

interface Field {
  parameter: Parameter
  input: HTMLInputElement
}

/** A form that sends the operation, and the same request as samples to copy. */
export function tryIt(operation: Operation): HTMLElement {
  const fields = operation.parameters.map(fieldOf)
  const isFile = /multipart|octet-stream/.test(operation.mediaType ?? '')
  const body = element('textarea', { 'aria-label': 'Body', rows: '8', spellcheck: 'false' })
  body.value = operation.example === undefined ? '' : JSON.stringify(operation.example, null, 2)
  const file = element('input', { type: 'file', 'aria-label': 'File' })
  const answer = element('div', { class: 'answer', 'aria-live': 'polite' })
  const filled = (): Filled => filledIn(fields, operation.mediaType && !isFile ? body.value : undefined)
  const form = element(
    'form',
    {},
    ...fields.map(({ parameter, input }) =>
      element(
        'label',
        { title: parameter.description },
        `${parameter.name}${parameter.required ? '' : ' (optional)'} `,
        input,
      ),
    ),
    ...(operation.mediaType ? [element('label', {}, 'Body ', isFile ? file : body)] : []),
    element('button', { type: 'submit' }, 'Send'),
  )
  const samples = sampleTabs(operation, filled)
  form.addEventListener('input', samples.update)
  whenChanged(() => {
    for (const { parameter, input } of fields)
      if (parameter.name === 'cid' && input.value === '') input.value = caller.room
    samples.update()
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    send(operation, filled(), isFile ? file.files?.[0] : undefined, answer).catch((error: unknown) => {
      answer.replaceChildren(element('p', { class: 'bad' }, String(error)))
    })
  })
  return element('div', { class: 'try' }, element('h4', {}, 'Try it'), form, answer, samples.view)
}

function fieldOf(parameter: Parameter): Field {
  const given =
    parameter.name === 'Idempotency-Key'
      ? newKey()
      : (typed.get(parameter.example) ?? (parameter.name === 'cid' ? caller.room : undefined))
  const input = element('input', {
    name: parameter.name,
    required: parameter.required,
    placeholder: asTyped(parameter.example),
    spellcheck: 'false',
  })
  input.value = given ?? ''
  input.addEventListener('change', () => {
    if (parameter.in === 'path') typed.set(parameter.example, input.value)
  })
  return { parameter, input }
}

/** An example as a person would type it: lists with commas. */
const asTyped = (example: unknown): string =>
  Array.isArray(example)
    ? example.join(',')
    : typeof example === 'string'
      ? example
      : JSON.stringify(example ?? '')

/** `crypto.randomUUID` exists only on pages that came over TLS or from this machine. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

function filledIn(fields: Field[], body: string | undefined): Filled {
  const filled: Filled = { path: {}, query: {}, headers: {}, body }
  for (const { parameter, input } of fields) {
    const value = input.value.trim()
    if (parameter.in === 'path') filled.path[parameter.name] = value
    else if (value === '') continue
    else if (parameter.in === 'header') filled.headers[parameter.name] = value
    else filled.query[parameter.name] = parameter.schema.type === 'array' ? value.split(/[\s,]+/) : [value]
  }
  return filled
}

async function send(
  operation: Operation,
  filled: Filled,
  file: File | undefined,
  answer: HTMLElement,
): Promise<void> {
  const headers = new Headers({ ...credentialHeaders(), ...filled.headers })
  let body: BodyInit | undefined
  if (operation.mediaType === 'multipart/form-data') {
    body = new FormData()
    if (file) body.append('file', file)
  } else if (operation.mediaType) {
    headers.set('Content-Type', operation.mediaType)
    body = file ?? bodyText(operation, filled.body ?? '')
  }
  answer.replaceChildren('Sending…')
  const startedAt = performance.now()
  // The page may be behind a proxy with a path of its own, so the address is relative to it.
  const url = urlOf('.', operation, filled)
  const response = await fetch(url, {
    method: operation.method,
    headers,
    ...(body !== undefined && { body }),
  })
  await showAnswer(answer, response, startedAt)
}
