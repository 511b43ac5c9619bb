import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { chunksOf, tar } from '../formats/archive-fixtures.ts'
import { scanLayer } from './scan-layer.ts'
import { tokenPatterns } from './secret-patterns.ts'
import { secretsIn } from './secret-search.ts'

const keyLine = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ'
// Concatenated here, so that this file itself has no secret.
const begin = (label: string) => `-----BEGIN ${label}-----`
const example = (prefix: string, length: number) => prefix + 'Ab3dE6Gh'.repeat(40).slice(0, length)

it.each(tokenPatterns)('finds $rule with the prefix $prefix', ({ rule, prefix, alphabet, min, max }) => {
  const token = alphabet === 'upper' ? example(prefix, min).toUpperCase() : example(prefix, min)
  expect([...secretsIn(`key = "${token}"\n`)]).toEqual([rule])
  const longer = token + token.slice(prefix.length).repeat(Math.ceil(max / min))
  expect([...secretsIn(`key = "${longer}"\n`)]).toEqual([])
  expect([...secretsIn(`key = "${token.slice(0, -1)}"\n`)]).toEqual([])
  expect([...secretsIn(`some_${token}`)]).toEqual([])
})

it.each([
  `${begin('RSA PRIVATE KEY')}\n${keyLine}\n`,
  `${begin('OPENSSH PRIVATE KEY')}\r\n${keyLine}\n`,
  `${begin('EC PRIVATE KEY')}\nProc-Type: 4,ENCRYPTED\n`,
  `${begin('PGP PRIVATE KEY BLOCK')}\n\n${keyLine}\n`,
  `{"private_key": "${begin('PRIVATE KEY')}\\n${keyLine}\\n"}`,
])('finds a private key: %j', (text) => {
  expect([...secretsIn(text)]).toEqual(['private_key'])
})

it.each([
  `if line == "${begin('RSA PRIVATE KEY')}":\n  return\n`,
  `${begin('PUBLIC KEY')}\n${keyLine}\n`,
  `${begin('CERTIFICATE')}\n${keyLine}\n`,
  'AKIAIOSFODNN7EXAMPLE is the one of the manual',
  'https://user:$PASSWORD@example.com/',
  'https://example.com:8080/a@b',
])('finds nothing in %j', (text) => {
  expect([...secretsIn(text)]).toEqual([])
})

it('finds an address with a password', () => {
  expect([...secretsIn('index-url = https://ci:hunter2hunter2@pypi.example.com/simple')]).toEqual([
    'url_with_password',
  ])
})

it('finds a secret across two chunks, reports kind and path once, and nothing in binary files', async () => {
  const token = example('ghp_', 36)
  const text = `${'x\n'.repeat(700)}${token}\n${'y\n'.repeat(700)}${token}\n`
  const archive = tar({ name: 'app/.npmrc', content: text }, { name: 'program', content: `\x7fELF\0${text}` })
  for (const size of [100, 512, 1000, archive.length]) {
    const inventory = await scanLayer(Readable.from(chunksOf(archive, size)))
    expect(inventory.observations).toEqual([{ rule: 'github_token', path: 'app/.npmrc' }])
    expect(JSON.stringify(inventory)).not.toContain(token.slice(4))
  }
})

it('takes time in proportion to the text, for any content', () => {
  const cost = (text: string) => {
    const before = process.cpuUsage()
    secretsIn(text)
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  const seeds = [
    ...tokenPatterns.map(({ prefix }) => prefix),
    '-----BEGIN ',
    'https://a:',
    'https://',
    'AKIAAKIA',
  ]
  for (const seed of seeds) {
    const short = seed.repeat(Math.ceil(20_000 / seed.length))
    const costs = [1, 2, 3].map(() => cost(short.repeat(10)) / Math.max(cost(short), 1000))
    // Ten times the text: quadratic time would cost a hundred times.
    expect(Math.min(...costs), seed).toBeLessThan(40)
  }
})
