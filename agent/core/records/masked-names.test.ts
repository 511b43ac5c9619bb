import { expect, test } from 'vitest'
import type { Refusal } from '../../port/network-refusals.ts'
import { withMaskedNames } from './masked-names.ts'

const refusalOf = (name: string): Refusal => ({
  reason: 'name_not_in_allow_list',
  protocol: name === '' ? 'tcp' : 'dns',
  name,
  address: name === '' ? '8.8.8.8' : '',
  port: 0,
  count: 1,
  firstAt: '2026-01-01T00:00:00.000Z',
  lastAt: '2026-01-01T00:00:00.000Z',
})

async function shown(name: string, ...values: string[]): Promise<string | undefined> {
  const bytes = values.map((value) => Buffer.from(value))
  const { entries } = await withMaskedNames({ entries: [refusalOf(name)], more: 0 }, bytes)
  return entries[0]?.name
}

const value = 'Tr0ub4dor+3'
const long = Array.from({ length: 90 }, (_, at) => 'abcdefghij'[(at * at + (at >> 2)) % 10]).join('')

test.each([
  ['plain, in small letters', 'tr0ub4dor\\0433'],
  ['URL-encoded', 'tr0ub4dor\\0372b3'],
  ['in hexadecimal', Buffer.from(value).toString('hex')],
  ['in base64', Buffer.from(value).toString('base64url').toLowerCase()],
  [
    'in base64 behind something',
    Buffer.from(`u:${value}xx`).toString('base64url').slice(3, 17).toLowerCase(),
  ],
  ['over two labels', 'tr0ub.4dor\\0433'],
])('a name does not show a value %s', async (_how, written) => {
  expect(await shown(`a.${written}.evil.example`, value)).toBe('a.[masked].evil.example')
})

test('a name shows fewer than two pieces of a long value that it contains in part', async () => {
  const name = `${long.slice(7, 60)}.${long.slice(60, 88)}.example`
  const rows = ((await shown(name, long)) ?? '').split(/\[masked\]|\./)
  expect(Math.max(...rows.map((row) => row.length))).toBeLessThan(31)
  expect(await shown(name, long)).toMatch(/^.{0,15}\[masked\].{0,15}\.example$/)
})

test('other names, and refusals without a name, are unchanged', async () => {
  expect(await shown('api.example', value)).toBe('api.example')
  expect(await shown('', value)).toBe('')
})

test('if the values are no longer known, every name is masked', async () => {
  const refusals = { entries: [refusalOf('api.example'), refusalOf('')], more: 0 }
  const { entries } = await withMaskedNames(refusals, undefined)
  expect(entries.map(({ name }) => name)).toEqual(['[masked]', ''])
})

test('the maximum number of values is masked in the maximum number of names', async () => {
  const values = Array.from({ length: 100 }, (_, at) => Buffer.from(`${at}`.padEnd(2600, `${at * 7919}.`)))
  const names = Array.from(
    { length: 200 },
    (_, at) => `${values[at % 100]?.toString('hex').slice(0, 60)}.n${at}`,
  )
  const { entries } = await withMaskedNames({ entries: names.map(refusalOf), more: 0 }, values)
  expect(entries.map(({ name }) => name).filter((name) => /[0-9a-f]{32}/.test(name))).toEqual([])
})
