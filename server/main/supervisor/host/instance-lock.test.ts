import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { exitCodes } from '../service-problem.ts'
import { lockHolder, lockInstance } from './instance-lock.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sandbox-lock-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('a second service on the same data folder is refused with the process id of the first', async () => {
  const path = join(folder, 'service.lock')
  const lock = await lockInstance(path, 'http://127.0.0.1:8080')
  await expect(lockInstance(path, 'http://127.0.0.1:8080')).rejects.toMatchObject({
    exitCode: exitCodes.secondInstance,
    message: expect.stringContaining(`process ${process.pid}`),
  })
  expect(await lockHolder(path)).toEqual({ pid: process.pid, url: 'http://127.0.0.1:8080' })
  await lock.release()
  expect(await lockHolder(path)).toBeUndefined()
  const again = await lockInstance(path, 'http://127.0.0.1:8080')
  await again.release()
})
