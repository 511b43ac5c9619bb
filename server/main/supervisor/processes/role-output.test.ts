import { execFile } from 'node:child_process'
import { closeSync, fstatSync, openSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LogFile } from './role-output.ts'

const run = promisify(execFile)
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

test('a log on a full disk loses lines, keeps the earlier ones and touches no other file', async () => {
  // Room for the folder and one file.
  await run('mount', ['-t', 'tmpfs', '-o', 'nr_inodes=2', 'tmpfs', folder])
  try {
    const path = join(folder, 'api.log')
    const log = new LogFile(path)
    const line = 'x'.repeat(1024 * 1024)
    for (let written = 0; written < 17; written += 1) log.write(line)
    // The next file cannot be made.
    log.write('first')
    const other = openSync('/dev/null', 'r')
    for (let written = 0; written < 5; written += 1) log.write('later')
    expect(() => fstatSync(other)).not.toThrow()
    closeSync(other)
    log.close()
    expect((await stat(`${path}.1`)).size).toBeGreaterThan(16 * 1024 * 1024 + 16)
  } finally {
    await run('umount', [folder])
  }
})

test('a log whose file cannot be made loses its lines', () => {
  const log = new LogFile(join(folder, 'missing', 'api.log'))
  log.write('lost')
  log.close()
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
