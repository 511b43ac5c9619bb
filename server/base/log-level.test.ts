import { execFile } from 'node:child_process'
import { unwatchFile } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { followLogLevel, readLogLevel, writeLogLevel } from './log-level.ts'
import { createLog } from './logging.ts'

let dataDir: string
const path = () => join(dataDir, 'run/log-level')
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'sandbox-level-'))
  await mkdir(join(dataDir, 'run'))
})
afterEach(async () => {
  unwatchFile(path())
  await rm(dataDir, { recursive: true })
})

test('a process has the level that was written before its start, and each one that is written later', async () => {
  writeLogLevel(dataDir, 'error')
  const log = createLog('test', 'silent')
  followLogLevel(log, dataDir)
  for (const level of ['error', 'fatal', 'silent'] as const) {
    writeLogLevel(dataDir, level)
    await eventually(() => expect(log.level).toBe(level))
  }
})

test('a missing file and one without a level change nothing', async () => {
  expect(readLogLevel(dataDir)).toBeUndefined()
  const log = createLog('test', 'fatal')
  followLogLevel(log, dataDir)
  await writeFile(path(), 'loud\n')
  expect(readLogLevel(dataDir)).toBeUndefined()
  writeLogLevel(dataDir, 'silent')
  await eventually(() => expect(log.level).toBe('silent'))
})

test('processes that start at the same time all write their level', async () => {
  const module = join(import.meta.dirname, 'log-level.ts')
  const program = `import { writeLogLevel } from ${JSON.stringify(module)}
    for (let count = 0; count < 100; count += 1) writeLogLevel(${JSON.stringify(dataDir)}, 'warn')`
  const writer = () => promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program])
  await Promise.all([writer(), writer(), writer()])
  expect(readLogLevel(dataDir)).toBe('warn')
  expect(await readdir(join(dataDir, 'run'))).toEqual(['log-level'])
})
