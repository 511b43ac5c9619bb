import { Writable } from 'node:stream'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { Readiness } from './readiness.ts'

const lines: { msg: string; failed?: string[]; problems?: string[] }[] = []
const log = pino(
  new Writable({
    write: (line, _encoding, done) => {
      lines.push(JSON.parse(String(line)))
      done()
    },
  }),
)
const always = { heldMs: 60_000, waitMs: 1000 }
/** Every read is a new look. */
const anew = { heldMs: 0, waitMs: 1000 }
const next = () => new Promise((resolve) => setTimeout(resolve, 5))

test('a thousand questions at once and later are one look', async () => {
  let looks = 0
  const look = async () => {
    looks += 1
    return { a: true, b: false }
  }
  const readiness = new Readiness([{ names: ['a', 'b'], look }], log, always)
  const answers = await Promise.all(Array.from({ length: 1000 }, () => readiness.read()))
  expect(answers[999]).toEqual({ a: 'ok', b: 'failed' })
  await readiness.read()
  expect(looks).toBe(1)
})

test('a look that hangs fails in time, is not repeated while it hangs, and delays no other', async () => {
  let looks = 0
  const hanging = Promise.withResolvers<Record<string, boolean>>()
  const look = () => {
    looks += 1
    return hanging.promise
  }
  const other = { names: ['other'], look: async () => ({ other: true }) }
  const readiness = new Readiness([{ names: ['disk'], look }, other], log, { heldMs: 0, waitMs: 10 })
  for (let asked = 0; asked < 3; asked += 1) {
    expect(await readiness.read()).toEqual({ disk: 'failed', other: 'ok' })
    await next()
  }
  expect(looks).toBe(1)
  hanging.resolve({ disk: true })
  await next()
  await readiness.read()
  expect(looks).toBe(2)
})

test('the log has the reason of a change, once', async () => {
  let isDown = true
  const look = async () => {
    if (isDown) throw new Error('connection refused')
    return { a: true, b: true }
  }
  const readiness = new Readiness([{ names: ['a', 'b'], look }], log, anew)
  lines.length = 0
  for (const down of [true, true, false, false]) {
    isDown = down
    await readiness.read()
    await next()
  }
  expect(lines).toMatchObject([
    { msg: 'not ready', failed: ['a', 'b'], problems: ['a,b: Error: connection refused'] },
    { msg: 'ready again' },
  ])
})
