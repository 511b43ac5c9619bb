import { Writable } from 'node:stream'
import pg from 'pg'
import { pino } from 'pino'
import { expect, it } from 'vitest'
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
