import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, getCACertificates, type Server, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeCertificate } from '../../../testing/certificate.ts'
import { certificateAt } from './address-certificate.ts'

const dayMs = 24 * 3600 * 1000
const usual = getCACertificates('default')
const { certificate, key } = makeCertificate(100)
const until = new X509Certificate(certificate).validToDate.toISOString().slice(0, 10)

let server: Server
let address: string
beforeAll(async () => {
  server = createServer({ cert: certificate, key }).listen(0, 'localhost')
  await once(server, 'listening')
  address = `https://localhost:${(server.address() as AddressInfo).port}`
})
beforeEach(() => setDefaultCACertificates([certificate]))
afterAll(async () => {
  setDefaultCACertificates(usual)
  server.close()
  await once(server, 'close')
})

test.each([
  ['good', 0],
  ['good', 89],
  ['ends_soon', 91],
  ['ended', 101],
])('a certificate of 100 days is %s after %i days', async (state, days) => {
  expect(await certificateAt(address, Date.now() + days * dayMs)).toEqual({ state, until })
})

test('a certificate of an unknown authority, or for another name, is refused by clients', async () => {
  const other = address.replace('localhost', '127.0.0.1')
  expect(await certificateAt(other, Date.now())).toMatchObject({
    state: 'refused',
    reason: 'ERR_TLS_CERT_ALTNAME_INVALID',
  })
  setDefaultCACertificates(usual)
  expect(await certificateAt(address, Date.now())).toEqual({
    state: 'refused',
    until,
    reason: 'DEPTH_ZERO_SELF_SIGNED_CERT',
  })
})

test('an address where nothing answers is unreachable', async () => {
  expect(await certificateAt('https://localhost:1', Date.now())).toEqual({
    state: 'unreachable',
    reason: 'ECONNREFUSED',
  })
})
