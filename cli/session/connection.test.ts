import { expect, test } from 'vitest'
import { chooseConnection } from './connection.ts'
import type { Credentials } from './credentials-file.ts'

const here = 'http://127.0.0.1:8080'
const stored: Credentials = {
  url: here,
  logins: { [here]: { user: 'ada', token: 'stored', expires_at: '' } },
  run_rooms: [],
}
const nothing: Credentials = { logins: {}, run_rooms: [] }

test('the default is the service of this machine without credentials', () => {
  expect(chooseConnection({}, {}, nothing)).toEqual({ url: here })
})

test('options come before variables, and variables before the stored login', () => {
  const environment = { SANDBOX_URL: 'http://b', SANDBOX_TOKEN: 'env' }
  expect(chooseConnection({ url: 'http://a/', token: 'opt' }, environment, stored)).toEqual({
    url: 'http://a',
    token: 'opt',
  })
  expect(chooseConnection({}, environment, stored)).toEqual({ url: 'http://b', token: 'env' })
  expect(chooseConnection({}, {}, stored)).toEqual({ url: here, token: 'stored' })
})

test('a stored login never goes to another address', () => {
  expect(chooseConnection({ url: 'http://127.0.0.1:9999' }, {}, stored)).toEqual({
    url: 'http://127.0.0.1:9999',
  })
  expect(chooseConnection({ url: 'http://HOST:80/x/' }, {}, stored)).toEqual({ url: 'http://host/x' })
})

test('a key and a token exclude each other, and an address must not contain a password', () => {
  expect(() => chooseConnection({ token: 'a', apiKey: 'b' }, {}, nothing)).toThrow('cannot be combined')
  expect(chooseConnection({}, { SANDBOX_API_KEY: 'k' }, stored)).toEqual({ url: here, apiKey: 'k' })
  for (const url of ['ftp://a', 'nonsense', 'http://user:pass@host', '']) {
    expect(() => chooseConnection({ url }, {}, nothing), url).toThrow('Not an address')
  }
})
