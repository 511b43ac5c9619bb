import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LogFile } from './log-file.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sandbox-log-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('a log is appended to after a restart', async () => {
  const path = join(folder, 'api.log')
  for (const line of ['one', 'two']) {
    const log = new LogFile(path)
    log.write(line)
    log.close()
  }
  expect(await readFile(path, 'utf8')).toBe('one\ntwo\n')
})

test('an endless log keeps a bounded number of bounded files', async () => {
  const log = new LogFile(join(folder, 'api.log'))
  const line = 'x'.repeat(1024 * 1024)
  for (let written = 0; written < 100; written += 1) log.write(line)
  log.close()
  const names = (await readdir(folder)).sort()
  expect(names).toEqual(['api.log', 'api.log.1', 'api.log.2', 'api.log.3'])
  for (const name of names) expect((await stat(join(folder, name))).size).toBeLessThan(18 * 1024 * 1024)
})
