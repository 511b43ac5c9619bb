import { mkdir, rm, symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shellJob, TestAgent } from '../../../testing/agent/test-agent.ts'

/* A file that is there and cannot be read is no missing file: what it would say of a start is not known. */

let agent: TestAgent
let empty: string
beforeAll(async () => {
  agent = await TestAgent.start()
  empty = await agent.image()
})
afterAll(() => agent.dispose())

/** Runs a sandbox to its end, and ends the agent. */
async function ranBefore() {
  const spec = shellJob(empty, 'echo once')
  await agent.run(spec)
  await agent.end('SIGKILL')
  return { spec, folder: join(agent.dataDir, 'agent/sandboxes', spec.id) }
}

test('an id whose exit record cannot be read has been started', async () => {
  const { spec, folder } = await ranBefore()
  const record = join(folder, 'exit.json')
  await rm(record)
  await symlink('exit.json', record)
  await agent.start()
  expect(await agent.client.forbid(spec.id)).toBe(false)
  await agent.client.remove(spec.id)
})

test('no agent starts while a start record cannot be read', async () => {
  const { folder } = await ranBefore()
  const record = join(folder, 'ticket.json')
  await rm(record)
  await mkdir(record)
  await expect(agent.start()).rejects.toThrow('cannot be read, so the agent does not start')
  expect(await agent.folders()).toContain(basename(folder))
  await rm(folder, { recursive: true })
  await agent.start()
})
