import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shellJob, TestAgent } from '../../../testing/agent/test-agent.ts'
import { inputOf } from '../../port/start-input.ts'

/* An agent whose sandboxes have one second to collect results. */

const loaded = `const { from } = Buffer
Buffer.from = (value, ...rest) =>
  from(typeof value === 'string' ? value.replace(/^(collect_seconds) .*$/m, '$1 1') : value, ...rest)`

let agent: TestAgent
let empty: string
beforeAll(async () => {
  const url = `data:text/javascript,${encodeURIComponent(loaded)}`
  agent = await TestAgent.start({ NODE_OPTIONS: `--import=${url}` })
  empty = await agent.image()
})
afterAll(() => agent.dispose())

const inputBytes = 1024 ** 2

test('results that are not copied in their time are late, not lost on a full disk', async () => {
  const script = `head -c ${inputBytes} >/dev/null; read word; head -c 1000000 /dev/zero > output.json; mkdir artifacts`
  const spec = shellJob(empty, script)
  spec.collect.files = spec.collect.files.map((file) => ({ ...file, maxBytes: 1_000_000 }))
  const input = new PassThrough()
  // A program does not wait for the end of a large input.
  input.write(Buffer.alloc(inputBytes))
  const started = agent.client.start(spec, inputOf(input))
  await agent.running(spec.id)
  const target = join(agent.dataDir, 'agent/sandboxes', spec.id, 'result.0')
  await agent.onHost('mkfifo', target)
  // Held open and never read: the copy blocks.
  const reader = await open(target, constants.O_RDONLY | constants.O_NONBLOCK)
  input.end('go\n')
  await started
  const exit = await agent.client.wait(spec.id)
  await reader.close()
  expect(exit).toMatchObject({ cause: 'exited', exitCode: 0, files: { output: { status: 'late' } } })
  expect(exit.tree).toMatchObject({ status: 'rejected', reason: 'collection_failed' })
})
