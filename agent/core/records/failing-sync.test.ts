import { afterAll, beforeAll, expect, test } from 'vitest'
import { shellJob, TestAgent } from '../../../testing/agent/test-agent.ts'
import { noInput } from '../../../testing/no-input.ts'
import { programNeverStarted } from '../../port/sandbox-exit.ts'
import { type SandboxRuntime, type SandboxSpec, sandboxRuntimes } from '../../port/sandbox-spec.ts'

/* The shim syncs the start record. That of a job with this word is a device in this agent, and fsync of a device fails. */
const failingWord = 'unsynced'
const loaded = `import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const { writeFileSync } = fs
fs.writeFileSync = (path, text, options) =>
  String(path).endsWith('/ticket.json') && text.includes('${failingWord}')
    ? execFileSync('mknod', [path, 'c', '1', '3'])
    : writeFileSync(path, text, options)
syncBuiltinESMExports()`

let agent: TestAgent
let empty: string
beforeAll(async () => {
  const url = `data:text/javascript,${encodeURIComponent(loaded)}`
  agent = await TestAgent.start({ NODE_OPTIONS: `--import=${url}` })
  empty = await agent.image()
})
afterAll(() => agent.dispose())

const job = (runtime: SandboxRuntime, word: string): SandboxSpec =>
  shellJob(empty, `echo ${word}`, { runtime })

test.each(sandboxRuntimes)(
  'on %s, a program whose start record cannot be synced does not start, which is final for its id',
  async (runtime) => {
    const failing = job(runtime, failingWord)
    await agent.client.start(failing, noInput)
    const exit = await agent.client.wait(failing.id)
    expect(exit).toMatchObject({ cause: 'start_failed', detail: 'start_record', startedAt: null })
    expect(exit.log.totalBytes).toBe(0)
    expect(programNeverStarted(exit)).toBe(false)
    expect(await agent.client.forbid(failing.id)).toBe(false)
    expect((await agent.run(job(runtime, 'synced'))).log).toBe('synced\n')
  },
)
