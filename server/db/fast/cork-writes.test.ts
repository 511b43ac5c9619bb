import type net from 'node:net'
import pg from 'pg'
import { afterAll, expect, test, vi } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { corkWrites } from './cork-writes.ts'

const { url } = await createTestDatabase()

const client = new pg.Client({ connectionString: url, pipeline: true })
corkWrites(client)
await client.connect()
afterAll(() => client.end())

test('statements of one tick are sent in one write', async () => {
  const { stream } = (client as unknown as { connection: { stream: net.Socket } }).connection
  const [one, several] = [vi.spyOn(stream, '_write'), vi.spyOn(stream, '_writev')]
  const writes = () => one.mock.calls.length + several.mock.calls.length
  const answers = ['a', 'b', 'c'].map((text) => client.query('select $1::text as text', [text]))
  expect(writes()).toBe(0)
  await Promise.resolve().then(() => answers.push(client.query('select $1::text as text', ['d'])))
  const read = (await Promise.all(answers)).map(({ rows }) => rows[0].text)
  expect(read).toEqual(['a', 'b', 'c', 'd'])
  expect(writes()).toBe(1)
  await client.query('select 1')
  expect(writes()).toBe(2)
})
