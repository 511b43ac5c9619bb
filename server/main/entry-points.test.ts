import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'

/*
 * Each packed program loads all its modules and runs up to its first condition: a fault of load order ends it before that. The
 * programs are those that the service starts.
 */

const { PACKED_PROGRAMS: packed = '' } = process.env
const folder = fileURLToPath(packed)
const unknown = 'SANDBOX_NO_SUCH_SETTING'

/** Runs a program, with pipes at its descriptors 3 and 4, to its end. */
async function run(name: string): Promise<{ code: number | null; errors: string }> {
  const child = spawn(process.execPath, [join(folder, `${name}.mjs`)], {
    env: { [unknown]: '1' },
    stdio: ['pipe', 'ignore', 'pipe', 'pipe', 'pipe'],
  })
  const errors = text(child.stderr as NonNullable<typeof child.stderr>)
  const [code] = (await once(child, 'exit')) as [number | null]
  return { code, errors: await errors }
}

const refused = new RegExp(unknown)

/** The processes, by what they print at their end: the setting that they refuse, that the address is the agent's router's, or nothing. */
const programs = {
  agent: refused,
  api: refused,
  backups: refused,
  builds: refused,
  'check-storage': refused,
  'mirror-proxy-main': /EADDRNOTAVAIL/,
  operator: refused,
  'prepare-database': refused,
  'reader-main': /^$/,
  worker: refused,
}
const threads = ['schema-worker']

test('every packed program is tried', () => {
  const found = readdirSync(folder).filter((name) => name.endsWith('.mjs') && !name.startsWith('shared-'))
  expect(found.toSorted()).toEqual(
    [...Object.keys(programs), ...threads].toSorted().map((name) => `${name}.mjs`),
  )
})

test.each(Object.entries(programs))('%s loads', async (name, said) => {
  const { code, errors } = await run(name)
  expect(code).toBeGreaterThan(0)
  expect(errors).toMatch(said)
})

test.each(threads)('%s starts and says that it is ready', async (name) => {
  const thread = new Worker(join(folder, `${name}.mjs`), { env: {}, execArgv: [] })
  expect(await once(thread, 'message')).toEqual([expect.any(String)])
  await thread.terminate()
})
