import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { makeMemoryGroup } from './memory-group.ts'

test('programs that join are limited, and the group can be removed', async () => {
  const group = await makeMemoryGroup({ memoryMib: 32, pids: 64 })
  if (!group) throw new Error('no group can be made here')
  const fill =
    'for file; do echo $$ > "$file"; done; head -c 200000000 /dev/zero | tail -c 200000000 > /dev/null'
  expect(await group.ranOut()).toBe(false)
  expect(spawnSync('sh', ['-c', fill, 'sh', ...group.joinFiles]).status).not.toBe(0)
  expect(await group.ranOut()).toBe(true)
  await group.remove()
  for (const file of group.joinFiles) expect(() => readdirSync(dirname(file))).toThrow('ENOENT')
})

test('where none can be made, there is none', async () => {
  const root = await mkdtemp(join(tmpdir(), 'no-groups-'))
  expect(await makeMemoryGroup({ memoryMib: 32, pids: 64 }, root)).toBeUndefined()
  await rm(root, { recursive: true })
})
