import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { exitCodes } from '../service-problem.ts'
import { serviceConfinement } from './service-confinement.ts'

const run = promisify(execFile)
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'service-confinement-'))
})
afterEach(() => rm(folder, { recursive: true }))

test('the libraries are copied below the folder', async () => {
  const paths = Object.values(await serviceConfinement(folder, process.execPath))
  expect(paths.filter((path) => !path.startsWith(`${folder}/`))).toEqual([])
})

test('a folder from which no library can be loaded is refused', async () => {
  const closed = join(folder, 'noexec')
  await mkdir(closed)
  await run('mount', ['-t', 'tmpfs', '-o', 'noexec', 'none', closed])
  try {
    await expect(serviceConfinement(closed, process.execPath)).rejects.toMatchObject({
      exitCode: exitCodes.dataFolder,
      message: expect.stringContaining('SANDBOX_DATA'),
    })
  } finally {
    await run('umount', [closed])
  }
})
