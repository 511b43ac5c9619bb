import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../../server/base/clock.ts'
import { TestAgent } from '../../../testing/agent/test-agent.ts'
import { writeManyMarks } from './many-marks.ts'
import { Marks } from './marks.ts'

const count = 2_000_000

test('two million marks are read in less than three seconds of processor time', async () => {
  const root = await mkdtemp(join(tmpdir(), 'marks-'))
  const folder = join(root, 'marks')
  const known = await writeManyMarks(folder, count)
  const before = process.cpuUsage()
  const onError = (error: unknown) => {
    throw error
  }
  const marks = await Marks.open({ folder, clock: systemClock, onError })
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1e6).toBeLessThan(3)
  expect(known.filter((id) => marks.find(id) !== 'removed')).toEqual([])
  await marks.close()
  await rm(root, { recursive: true })
})

test('an agent with two million marks starts, and knows each of them', async () => {
  const agent = await TestAgent.start()
  await agent.end('SIGKILL')
  const known = await writeManyMarks(join(agent.dataDir, 'agent/marks'), count)
  await agent.start()
  for (const id of known) expect(await agent.client.forbid(id)).toBe(false)
  expect(await agent.client.forbid('run_never_1')).toBe(true)
  await agent.dispose()
})
