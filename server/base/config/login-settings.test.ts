import { expect, test } from 'vitest'
import { ConfigInvalid, readConfig } from './config.ts'

const of = (issuer: string) => () => readConfig({ SANDBOX_JWT_ISSUER: issuer })

test('an issuer stays as it is written, and its keys are below it with one slash', () => {
  for (const issuer of [
    'https://people.example',
    'https://people.example/',
    'https://people.example/realms/work/',
  ])
    expect(of(issuer)().jwtIssuer).toBe(issuer)
  expect(of('https://people.example/')().jwtJwksUrl).toBe('https://people.example/.well-known/jwks.json')
  expect(of('https://people.example/work')().jwtJwksUrl).toBe(
    'https://people.example/work/.well-known/jwks.json',
  )
})

test('an issuer is an address without a query', () => {
  for (const issuer of [
    'people.example',
    'ftp://people.example',
    'https://',
    'https:///x',
    'https://a b',
    'https://people.example?x',
  ])
    expect(of(issuer)).toThrow(ConfigInvalid)
})
