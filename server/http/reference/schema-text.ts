import { nameOf, type Schema } from './document.ts'
import { type Html, html } from './html.ts'

/** A short description of a schema: its type, allowed values and bounds. */
export function schemaText(schema: Schema | undefined): Html {
  if (!schema) return html`bytes`
  if (schema.$ref) {
    const name = nameOf(schema.$ref)
    return html`<a href="#schema-${name}">${name}</a>`
  }
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) {
    return html`${choices.map((one, at) => html`${at > 0 ? ' or ' : ''}${schemaText(one)}`)}`
  }
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`
  if (schema.enum) {
    return html`${schema.enum.map((one, at) => html`${at > 0 ? ', ' : ''}<code>${String(one)}</code>`)}`
  }
  if (schema.contentSchema) return html`${schema.type}: ${schemaText(schema.contentSchema)}`
  if (schema.type === 'array') return html`list of ${schemaText(schema.items)}`
  if (schema.properties) return fieldTable(schema)
  return html`${[schema.type ?? 'any JSON', schema.format, ...bounds(schema)].filter(Boolean).join(', ')}`
}

/** The fields of an object, one row each. */
export function fieldTable({ properties = {}, required = [] }: Schema): Html {
  const rows = Object.entries(properties).map(
    ([name, field]) => html`<tr>
      <th scope="row"><code>${name}</code></th>
      <td>${required.includes(name) ? '' : 'optional'}</td>
      <td>${described(field)}${schemaText(field)}${exampleOf(field.examples?.[0])}</td>
    </tr>`,
  )
  return html`<table>${rows}</table>`
}

/** A description, which is plain text with code between backquotes. */
export const prose = (text: string): Html =>
  html`${text.split('`').map((part, at) => (at % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))}`

const described = ({ description }: Schema): Html =>
  description === undefined ? html`` : html`<p>${prose(description)}</p>`

export const exampleOf = (example: unknown): Html =>
  example === undefined || example === ''
    ? html``
    : html` <small>for example <code>${JSON.stringify(example)}</code></small>`

export const defaultOf = ({ default: value }: Schema): Html =>
  value === undefined ? html`` : html`, by default <code>${JSON.stringify(value)}</code>`

function bounds({ minimum, maximum, minLength, maxLength }: Schema): string[] {
  const range = (low: number | undefined, high: number | undefined, unit: string): string[] => {
    if (low === undefined && high === undefined) return []
    if (high === undefined) return [`at least ${low}${unit}`]
    return [low === undefined ? `at most ${high}${unit}` : `${low} to ${high}${unit}`]
  }
  return [...range(minimum, maximum, ''), ...range(minLength, maxLength, ' characters')]
}
