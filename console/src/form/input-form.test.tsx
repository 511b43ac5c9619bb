import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test, vi } from 'vitest'
import { loadSpeech, SpeechProvider } from '../texts/texts.tsx'
import { initialValue } from './defaults.ts'
import type { Json } from './json.ts'

vi.stubGlobal('location', new URL('https://jobs.example/console/'))
const { InputForm } = await import('./input-form.tsx')
const speech = await loadSpeech('en')

const markup = (schema: unknown, value: Json | undefined = initialValue(schema), example?: Json) =>
  renderToStaticMarkup(
    <SpeechProvider speech={speech}>
      <InputForm schema={schema} value={value} onValue={() => {}} files={['a.csv']} example={example} />
    </SpeechProvider>,
  )

const property = (schema: object, value: Json = {}) => markup({ properties: { it: schema } }, value)

describe('a control', () => {
  test.each([
    [{ type: 'string' }, '<input id="'],
    [{ type: 'string', maxLength: 500 }, '<textarea'],
    [{ type: 'string', format: 'email' }, 'inputMode="email"'],
    [{ type: 'string', format: 'date-time' }, 'type="datetime-local"'],
    [{ type: 'string', contentEncoding: 'base64' }, 'type="file"'],
    [{ type: 'string', 'x-file': true }, '<option value="a.csv">'],
    [{ type: 'integer' }, 'inputMode="numeric"'],
    [{ type: 'boolean' }, 'Not set'],
    [{ type: 'boolean', default: false }, 'type="checkbox"'],
    [{ enum: ['a', 'b'] }, 'type="radio"'],
    [{ enum: ['1', '2', '3', '4', '5', '6'] }, '<select'],
    [{ const: 'always' }, 'always'],
    [{}, 'Any value, as JSON.'],
    [{ type: 'object', properties: { inner: {} } }, 'Add'],
    [{ type: 'string', deprecated: true }, '<details'],
    [{ type: 'string', writeOnly: true }, 'Use a secret of the room'],
  ])('of %j has %j', (schema, expected) => {
    expect(property(schema)).toContain(expected)
  })

  test('names its help and its errors', () => {
    const [, id] = /<input id="([^"]+)"/.exec(property({ type: 'string', description: 'Help' })) ?? []
    expect(id).toBeDefined()
    const html = property({ type: 'string', description: 'Help', minLength: 2 })
    expect(html).toContain(`aria-describedby="${id}h ${id}e"`)
    expect(html).toContain(`<div id="${id}h"><p dir="auto">Help</p><p>at least 2 characters</p></div>`)
  })

  test('of a list of flat objects is a table, and of other lists one below the other', () => {
    const row = { type: 'object', properties: { id: { type: 'integer' } } }
    expect(property({ type: 'array', items: row }, { it: [{ id: 7 }] })).toContain('role="grid"')
    expect(property({ type: 'array', items: { type: 'string' } }, { it: ['a', 'b'] })).toContain('Item 2')
  })
})

test('text of the schema is never the id, the class, the address or the markup of an element', () => {
  const hostile = '"><img src=x onerror=alert(1)>'
  const schema = {
    title: hostile,
    description: hostile,
    properties: {
      [hostile]: { type: 'string', title: hostile, examples: [hostile] },
      two: { enum: [hostile, 'x'] },
    },
    required: [hostile],
  }
  const html = markup(schema)
  expect(html).not.toContain('<img')
  for (const [, value] of html.matchAll(/ (?:id|class|href|src|style|for|name)="([^"]*)"/g)) {
    expect(value).not.toContain('img')
  }
})

test('an input without a schema is JSON, and an example can be used', () => {
  const html = markup(undefined, { a: 1 }, { a: 2 })
  expect(html).toContain('<textarea')
  expect(html).toContain('Use the example')
  expect(html).not.toContain('<fieldset')
})
