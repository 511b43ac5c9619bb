import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installedPrograms } from '../../server/native-programs/installed.ts'
import { loadableWith } from './loadable-with.ts'

const crun = '/usr/bin/crun'
let folder: string
let library: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'no-systemd-'))
  library = installedPrograms(folder, ['no-systemd.so'])['no-systemd.so']
})
afterAll(() => rm(folder, { recursive: true }))

test('crun is loaded without libsystemd and the libraries that it brings', async () => {
  expect(await loadableWith(crun, library)).toBe(library)
  const env = { LD_PRELOAD: library, LD_TRACE_LOADED_OBJECTS: '1' }
  const { stdout } = await promisify(execFile)(crun, [], { env })
  expect(stdout).toContain(library)
  expect(stdout).not.toMatch(/libsystemd|libgcrypt|liblzma|libzstd|liblz4|libgpg/)
})

test.each(['a b', 'a:b', '$LIB'])('a library in a folder `%s` is not loaded', async (name) => {
  const inside = installedPrograms(join(folder, name), ['no-systemd.so'])['no-systemd.so']
  expect(await loadableWith(crun, inside)).toBeUndefined()
})

test('a library that is missing is not loaded, although the program starts', async () => {
  expect(await loadableWith(crun, join(folder, 'missing.so'))).toBeUndefined()
})

test('a program that does not start with the library is loaded without it', async () => {
  expect(await loadableWith('/bin/false', library)).toBeUndefined()
})
