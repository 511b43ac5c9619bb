import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, utimes, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Incoming } from './incoming.ts'

test('parts of a killed writer are removed; parts of a live writer and of other machines stay', async () => {
  const root = await mkdtemp(join(tmpdir(), 'sandbox-incoming-'))
  const own = await new Incoming(root).newPart()
  await writeFile(own, 'being written')
  const dead = spawnSync('true').pid
  const left = [`${dead}.1.${hostname()}`, `${process.pid}.1.${hostname()}`]
  const others = `${dead}.1.another-${hostname()}`
  for (const writer of [...left, others]) {
    await mkdir(join(root, writer))
    await writeFile(join(root, writer, 'part'), 'cut')
  }

  await new Incoming(root).removeAbandoned()

  const [ownWriter] = own.slice(root.length + 1).split('/')
  expect(new Set(await readdir(root))).toEqual(new Set([ownWriter, others]))
  expect(await readdir(join(root, ownWriter ?? ''))).toHaveLength(1)
})

test('parts of another machine are removed when nobody has written them for a day', async () => {
  const root = await mkdtemp(join(tmpdir(), 'sandbox-incoming-'))
  const longAgo = new Date(Date.now() - 25 * 3600 * 1000)
  for (const writer of ['1.1.left', '1.1.writing']) {
    await mkdir(join(root, writer))
    const part = join(root, writer, 'part')
    await writeFile(part, 'cut')
    if (writer.endsWith('left')) await utimes(part, longAgo, longAgo)
    await utimes(join(root, writer), longAgo, longAgo)
  }

  expect(await new Incoming(root).removeAbandoned()).toBe(1)

  expect(await readdir(root)).toEqual(['1.1.writing'])
})
