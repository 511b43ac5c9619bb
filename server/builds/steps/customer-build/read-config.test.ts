import { describe, expect, test } from 'vitest'
import { BuildFailed } from '../../request/build-failed.ts'
import { readImageConfig } from './read-config.ts'

const read = (value: unknown) => readImageConfig(Buffer.from(JSON.stringify(value)))

test('environment and user are used, everything else is ignored', () => {
  const config = { User: '1000:1000', Env: ['PATH=/bin', 'EMPTY='], Cmd: ['x'], OnBuild: ['RUN x'] }
  expect(read({ config })).toEqual({ env: ['PATH=/bin', 'EMPTY='], user: '1000:1000' })
})

test('an image without configuration runs as root of its sandbox without environment', () => {
  expect(read({ config: {} })).toEqual({ env: [], user: '' })
  expect(read({})).toEqual({ env: [], user: '' })
})

test('invalid environment entries are dropped', () => {
  expect(read({ config: { Env: ['ok=1', '=x', 'a b=1', 7, null, '$(id)=1'] } }).env).toEqual(['ok=1'])
})

describe('a hostile configuration is refused', () => {
  test.each([
    ['a user with a space', { config: { User: 'a b' } }],
    ['a user with an option', { config: { User: '-u' } }],
    ['a user that is an object', { config: { User: {} } }],
    ['a user with a newline', { config: { User: 'root\n0' } }],
    ['too many variables', { config: { Env: Array.from({ length: 201 }, (_, index) => `V${index}=1`) } }],
    ['too much text', { config: { Env: [`A=${'x'.repeat(65_536)}`] } }],
  ])('%s', (_name, value) => {
    expect(() => read(value)).toThrow(BuildFailed)
  })

  test('invalid JSON', () => {
    expect(() => readImageConfig(Buffer.from('{"config":'))).toThrow(BuildFailed)
    expect(() => readImageConfig(Buffer.from('{"a":1,"a":2}'))).toThrow(BuildFailed)
  })
})
