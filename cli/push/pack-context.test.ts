import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { staysInside } from './context-entries.ts'
import { packContext } from './pack-context.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pack-context-'))
  writeFileSync(join(folder, 'Dockerfile'), 'FROM curated/python:3.11\n')
})
afterEach(() => rmSync(folder, { recursive: true }))

/** The entries as GNU tar lists them: mode, owner, size, name and link target. */
async function listing(): Promise<string[]> {
  const packed = await packContext(folder)
  const text = execFileSync('tar', ['--numeric-owner', '-tvzf', packed.path], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', TZ: 'UTC', LC_ALL: 'C.UTF-8' },
  })
  await packed.remove()
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.replaceAll(/ +/g, ' ').replace(' 1970-01-01 00:00', ''))
}

test('files, folders, modes and inner links are packed', async () => {
  mkdirSync(join(folder, 'bin'))
  writeFileSync(join(folder, 'bin/run.sh'), 'echo hi\n')
  chmodSync(join(folder, 'bin/run.sh'), 0o755)
  writeFileSync(join(folder, 'empty'), '')
  writeFileSync(join(folder, 'last'), 'x', { mode: 0o644 })
  symlinkSync('../Dockerfile', join(folder, 'bin/link'))
  chmodSync(join(folder, 'Dockerfile'), 0o644)
  chmodSync(join(folder, 'empty'), 0o600)
  chmodSync(join(folder, 'bin'), 0o755)
  expect(await listing()).toEqual([
    '-rw-r--r-- 0/0 25 Dockerfile',
    'drwxr-xr-x 0/0 0 bin/',
    'lrwxrwxrwx 0/0 0 bin/link -> ../Dockerfile',
    '-rwxr-xr-x 0/0 8 bin/run.sh',
    '-rw------- 0/0 0 empty',
    '-rw-r--r-- 0/0 1 last',
  ])
})

/** Paths of the packed files. */
const packedPaths = async () =>
  (await listing()).flatMap((line) => (line.startsWith('d') ? [] : [line.split(' ')[3]]))

const write = (files: Record<string, string>) => {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}

test('what the ignore file hides from the build is not packed, and counted', async () => {
  write({ '.dockerignore': '*\n!src\nsrc/tmp\n', 'src/a': '', 'src/tmp/b': '', 'modules/x/y': '', note: '' })
  // A file that is not sent needs no valid name, and may be anything.
  symlinkSync('/etc/passwd', join(folder, 'outside'))
  expect(await packedPaths()).toEqual(['.dockerignore', 'Dockerfile', 'src/a'])
  const packed = await packContext(folder)
  await packed.remove()
  expect(packed.leftOut).toMatchObject({ ignoreFile: '.dockerignore', count: 4 })
})

test('a Dockerfile and the file that it leads to are packed, whatever is ignored', async () => {
  rmSync(join(folder, 'Dockerfile'))
  write({ '.dockerignore': '**', 'real/docker/Dockerfile': 'FROM scratch\n', 'real/docker/other': '' })
  symlinkSync('real', join(folder, 'linked'))
  symlinkSync('linked/docker/Dockerfile', join(folder, 'Dockerfile'))
  expect(await packedPaths()).toEqual(['.dockerignore', 'Dockerfile', 'linked', 'real/docker/Dockerfile'])
})

test('the history of a repository is packed unless it is ignored, as Docker does, and its size is known', async () => {
  write({ '.git/config': 'token', '.git/objects/x': '12345' })
  const packed = await packContext(folder)
  await packed.remove()
  expect(packed).toMatchObject({ files: 3, historyBytes: 10 })
  write({ '.dockerignore': '.git' })
  const without = await packContext(folder)
  await without.remove()
  expect(without).toMatchObject({ files: 2, historyBytes: 0, leftOut: { count: 1 } })
})

test('a malformed ignore file is named before anything is sent', async () => {
  write({ '.dockerignore': '[' })
  await expect(packContext(folder)).rejects.toThrow('.dockerignore cannot be read as patterns')
})

test('the same files make the same archive, whatever their times', async () => {
  const first = await packContext(folder)
  utimesSync(join(folder, 'Dockerfile'), 1, 1)
  const second = await packContext(folder)
  expect(second.digest).toBe(first.digest)
  expect(second.byteSize).toBe(readFileSync(second.path).length)
  await Promise.all([first.remove(), second.remove()])
})

test('a name longer than a plain tar header allows is kept', async () => {
  const name = 'n'.repeat(200)
  writeFileSync(join(folder, name), 'x')
  expect((await listing()).at(-1)).toContain(name)
})

test('a link that leads out of the folder is refused before anything is sent', async () => {
  symlinkSync('/etc/passwd', join(folder, 'secrets'))
  await expect(packContext(folder)).rejects.toThrow('secrets is a link that leads out of the folder')
})

test('a Dockerfile that is a link inside the folder is packed, and a broken one is named as a link', async () => {
  rmSync(join(folder, 'Dockerfile'))
  symlinkSync('docker/Dockerfile', join(folder, 'Dockerfile'))
  await expect(packContext(folder)).rejects.toThrow('Dockerfile is a link that leads to no file')
  mkdirSync(join(folder, 'docker'))
  writeFileSync(join(folder, 'docker/Dockerfile'), 'FROM scratch\n')
  expect((await listing())[0]).toContain('Dockerfile -> docker/Dockerfile')
})

test('a link is checked by its target', () => {
  for (const target of ['b', './b', '../b', '../c/d'])
    expect(staysInside('a/link', target), target).toBe(true)
  for (const target of ['', '/b', '../../b', 'b/../../..', 'c/../b', '..\\b']) {
    expect(staysInside('a/link', target), target).toBe(false)
  }
})

test('special files and invalid names are refused', async () => {
  const socket = createServer().listen(join(folder, 'socket'))
  await once(socket, 'listening')
  await expect(packContext(folder)).rejects.toThrow('socket is not a file, folder or link')
  socket.close()
  await once(socket, 'close')
  for (const name of ['a\nb', 'a\\b', 'a\u001b[2J']) {
    writeFileSync(join(folder, name), '')
    await expect(packContext(folder), name).rejects.toThrow('is not allowed in archives')
    rmSync(join(folder, name))
  }
})

test('a folder without a Dockerfile, and no folder at all, say so', async () => {
  rmSync(join(folder, 'Dockerfile'))
  await expect(packContext(folder)).rejects.toThrow('There is no Dockerfile')
  await expect(packContext(join(folder, 'nowhere'))).rejects.toThrow('does not exist')
})
