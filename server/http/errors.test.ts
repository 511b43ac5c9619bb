import { Writable } from 'node:stream'
import pg from 'pg'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { DiskStorage } from '../storage/disk.ts'
import { createApp } from './app.ts'

it('logs what finds a fault without the values that a database error quotes', async () => {
  let lines = ''
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines += String(chunk)
      done()
    },
  })
  const app = createApp(pino(sink))
  app.get('/broken', async () => {
    const error = new pg.DatabaseError('duplicate key value violates unique constraint "x"', 1, 'error')
    throw Object.assign(error, { code: '23505', detail: 'Key (name)=(a secret name) already exists.' })
  })
  const answer = await app.inject({ url: '/broken' })
  expect([answer.statusCode, answer.json().detail.code]).toEqual([500, 'internal_error'])
  expect(lines).toContain('23505')
  expect(lines).toContain('errors.test.ts')
  expect(lines).not.toContain('a secret name')
})

it('says that the object store is away when its disk fails, be it asked to read or to write', async () => {
  const app = createApp(pino({ level: 'silent' }))
  const storage = new DiskStorage('/dev/null')
  app.get('/read', () => storage.get('key'))
  app.get('/write', () => storage.put('key', Buffer.from('bytes')))
  for (const url of ['/read', '/write']) {
    const answer = await app.inject({ url })
    expect([answer.statusCode, answer.json().detail.code]).toEqual([503, 'storage_unavailable'])
  }
})
