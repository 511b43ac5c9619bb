import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { saveArtifact } from './save-artifact.ts'

let parent: string
let folder: string

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'save-artifact-'))
  folder = join(parent, 'out')
})
afterEach(() => rmSync(parent, { recursive: true }))

const modifiedAt = new Date('2020-09-13T12:26:42Z')

const save = (relativePath: string, { replace = false, content = 'hello', listed = 'hello' } = {}) =>
  saveArtifact(new Response(content).body as ReadableStream<Uint8Array>, {
    folder,
    relativePath,
    byteSize: Buffer.byteLength(listed),
    digest: `sha256:${createHash('sha256').update(listed).digest('hex')}`,
    modifiedAt,
    replace,
  })

test('an artifact is saved below the folder, including its own folders, with its time', async () => {
  expect(await save('charts/2026/a.svg')).toBe(join(folder, 'charts/2026/a.svg'))
  expect(readFileSync(join(folder, 'charts/2026/a.svg'), 'utf8')).toBe('hello')
  expect(statSync(join(folder, 'charts/2026/a.svg')).mtime).toEqual(modifiedAt)
})

test('an unsafe path is never written', async () => {
  const paths = [
    '../a',
    'a/../../b',
    '/etc/x',
    'a//b',
    '.',
    '..',
    '',
    'a/',
    '..\\a',
    'a\u0000b',
    'a\u001b[2Jb',
    'x\u202ey',
  ]
  for (const path of paths) await expect(save(path), JSON.stringify(path)).rejects.toThrow('not safe to save')
  expect(existsSync(folder)).toBe(false)
  expect(readdirSync(parent)).toEqual([])
})

test('a link in the path is not followed, whatever its target', async () => {
  mkdirSync(join(parent, 'elsewhere'))
  mkdirSync(folder)
  symlinkSync(join(parent, 'elsewhere'), join(folder, 'charts'))
  await expect(save('charts/a.svg')).rejects.toThrow('is not a folder')
  expect(readdirSync(join(parent, 'elsewhere'))).toEqual([])
})

test('an existing file stays without --force, and a link in its place is replaced, not followed', async () => {
  mkdirSync(folder)
  writeFileSync(join(parent, 'mine'), 'mine')
  symlinkSync(join(parent, 'mine'), join(folder, 'a.txt'))
  await expect(save('a.txt')).rejects.toThrow('already exists')
  await save('a.txt', { replace: true })
  expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('hello')
  expect(readFileSync(join(parent, 'mine'), 'utf8')).toBe('mine')
})

test('unexpected content leaves no file', async () => {
  await expect(save('a.txt', { content: 'hell' })).rejects.toThrow('does not match the size and digest')
  await expect(save('a.txt', { content: 'hello and more' })).rejects.toThrow(
    'does not match the size and digest',
  )
  await expect(save('a.txt', { content: 'jello' })).rejects.toThrow('does not match the size and digest')
  expect(readdirSync(folder)).toEqual([])
})
