import { join } from 'node:path'
import type { RequestRoute } from '@sandbox-jobs/contract/client/request.ts'
import { runWaitMaxSeconds } from '@sandbox-jobs/contract/limits.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { requireParts, type Step } from '../first-hour/step.ts'
import { checkout } from '../main-job/service.ts'
import { build, ended, outputOf, publish, runWhen, submit } from '../main-job/tenant.ts'
import { followEvents } from './event-stream.ts'
import { authorized, type Ground, get, pathOf, requireStatus, step } from './ground.ts'
import { open } from './https-request.ts'

const workScript = `
  case "$(cat "$SERVICE_INPUTS_FILE")" in *slow*) echo first line; sleep 280;; esac
  cp "$SERVICE_INPUTS_FILE" "$SERVICE_OUTPUT_FILE"
`

/** Runs that a person starts, follows, waits for and reads. */
export function runSteps(ground: Ground): Step[] {
  const { tenant } = ground
  const runPath = (route: RequestRoute, rid: string) => pathOf(route, { cid: tenant.room, rid })
  const follow = (rid: string) =>
    open(ground.proxied, authorized(ground, { path: runPath(allRoutes.followRunLog, rid) }))
  const cancel = async (rid: string) => {
    await tenant.client.call(allRoutes.cancelRun, { params: { cid: tenant.room, rid } })
  }
  let task = ''
  return [
    step('author', 'publishes a task', async () => {
      const { vid } = await build(tenant, join(checkout, 'examples/sales-report'))
      task = await publish(tenant, { environmentVersion: vid, workScript, timeoutSeconds: 300 })
    }),
    step('person in a room', `waits ${runWaitMaxSeconds} s, and follows the log meanwhile`, async () => {
      const { id } = await submit(tenant, task, { kind: 'slow' })
      const followed = await follow(id)
      const stream = followEvents(followed)
      await stream.until(({ text }) => text.includes('first line'))
      // A proxy that collects the events would pass this one when the run has ended.
      const running = await runWhen(tenant, id, () => true)
      if (running.terminal_at !== null) throw new Error('the event came after the end of the run')
      const startedMs = performance.now()
      const waited = await get(ground, `${runPath(allRoutes.waitForRun, id)}?seconds=${runWaitMaxSeconds}`)
      requireStatus(waited, 200)
      requireParts(waited.body, '"terminal_at":null')
      if (performance.now() - startedMs < (runWaitMaxSeconds - 1) * 1000)
        throw new Error('the wait ended early')
      await stream.until(({ heartbeats }) => heartbeats >= 2)
      await cancel(id)
      await stream.until(({ text }) => text.includes('event: end'))
      await runWhen(tenant, id, ended)
    }),
    step('person in a room', 'leaves an event stream, which ends at the service', async () => {
      const { id } = await submit(tenant, task, { kind: 'slow' })
      const followed = await follow(id)
      await followEvents(followed).until(({ text }) => text.includes('first line'))
      const request = String(followed.headers['x-request-id'])
      followed.destroy()
      await ground.service.requestLine(request)
      const { terminal_at } = await runWhen(tenant, id, () => true)
      if (terminal_at !== null) throw new Error('the stream ended with the run')
      await cancel(id)
      await runWhen(tenant, id, ended)
    }),
    step('person in a room', 'downloads an output, and a range of it', async () => {
      const { id } = await submit(tenant, task, { text: 'abcdefghij'.repeat(30_000) })
      await runWhen(tenant, id, ended)
      const path = runPath(allRoutes.readRunOutput, id)
      const expected = await outputOf(tenant, id)
      const whole = await get(ground, path)
      requireStatus(whole, 200)
      const part = await get(ground, path, { range: 'bytes=100000-200000' })
      requireStatus(part, 206)
      if (whole.body !== expected || part.body !== expected.slice(100_000, 200_001))
        throw new Error('the bytes are not those of the output')
      const range = `bytes 100000-200000/${expected.length}`
      if (part.headers['content-range'] !== range) throw new Error(`the range is not ${range}`)
      requireStatus(await get(ground, path, { range: `bytes=${expected.length}-` }), 416)
    }),
  ]
}
