import { expect, test } from 'vitest'
import { ConfigInvalid, readConfig } from './config.ts'
import { headersIn } from './tracing-settings.ts'

const withSettings = (settings: Record<string, string>) => () => readConfig(settings)

test('takes the address of a collector in every usual form, and no other', () => {
  for (const address of ['http://127.0.0.1:4318', 'https://otel.example.com/', 'http://[::1]:4318/otlp'])
    expect(withSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: address })().otlpEndpoint).toBe(address)
  for (const address of [
    '127.0.0.1:4318',
    'http://user:secret@otel',
    'http://otel?x=1',
    'http://[',
    'grpc://otel',
  ])
    expect(withSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: address })).toThrow(ConfigInvalid)
})

test('reads headers as pairs with percent-encoded values, and refuses what is no header', () => {
  expect(headersIn('authorization=Bearer%20x%3D, x-tenant=a=b')).toEqual({
    authorization: 'Bearer x=',
    'x-tenant': 'a=b',
  })
  for (const value of ['authorization', 'a b=c', 'a=%0d%0ab', 'a=%zz', ',', '=x'])
    expect(headersIn(value)).toBeUndefined()
})
