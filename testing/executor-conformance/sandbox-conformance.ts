import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { SandboxUnknown } from '../../agent/port/errors.ts'
import { neverStarted } from '../../agent/port/refusal-causes.ts'
import { programNeverStarted } from '../../agent/port/sandbox-exit.ts'
import { inputOf } from '../../agent/port/start-input.ts'
import { newId } from '../../server/base/ids.ts'
import { eventually } from '../eventually.ts'
import { noInput } from '../no-input.ts'
import { type ExecutorUnderTest, smallJob } from './under-test.ts'

/** The promises of `SandboxPort`. */
export function sandboxConformance(get: () => ExecutorUnderTest): void {
  const job = (program: Parameters<typeof smallJob>[1]) => smallJob(get(), program)

  /** A start whose input has no end yet. */
  async function startInFlight(program: Parameters<typeof smallJob>[1]) {
    const { executor: sandboxes } = get()
    const spec = job(program)
    const input = new PassThrough()
    input.write('first')
    const started = sandboxes.start(spec, inputOf(input))
    started.catch(() => undefined)
    await eventually(async () =>
      expect(await sandboxes.list()).toContainEqual(expect.objectContaining({ id: spec.id })),
    )
    return { spec, input, started }
  }

  test('an id is started at most once', async () => {
    const { executor: sandboxes } = get()
    const spec = job('echo')
    await sandboxes.start(spec, inputOf(Buffer.from('first')))
    await sandboxes.wait(spec.id)
    await sandboxes.start(spec, inputOf(Buffer.from('second')))
    expect(await text(await sandboxes.log(spec.id))).toBe('first')
  })

  test('of two starts at once, one gives its input to the program', async () => {
    const { executor: sandboxes } = get()
    const spec = job('echo')
    await Promise.all(['first', 'other'].map((input) => sandboxes.start(spec, inputOf(Buffer.from(input)))))
    await sandboxes.wait(spec.id)
    expect(await text(await sandboxes.log(spec.id))).toMatch(/^(first|other)$/)
  })

  test('a second holder that repeats or forbids a start in flight has no effect on it', async () => {
    const { executor: sandboxes } = get()
    const { spec, input, started } = await startInFlight('echo')
    const again = sandboxes.start(spec, inputOf(Buffer.from('second')))
    const forbidden = sandboxes.forbid(spec.id)
    input.end()
    await Promise.all([started, again])
    expect(await forbidden).toBe(false)
    await sandboxes.wait(spec.id)
    expect(await text(await sandboxes.log(spec.id))).toBe('first')
  })

  test('a start whose answer was lost is found by its id', async () => {
    const { executor: sandboxes } = get()
    const spec = job('echo')
    const lost = sandboxes.start(spec, inputOf(Buffer.from('first')))
    await eventually(() => sandboxes.wait(spec.id))
    expect(await sandboxes.forbid(spec.id)).toBe(false)
    await sandboxes.start(spec, inputOf(Buffer.from('second')))
    expect(await text(await sandboxes.log(spec.id))).toBe('first')
    await lost
  })

  test('a start whose input refuses it has started nothing, and throws the same error', async () => {
    const { executor: sandboxes } = get()
    const spec = job('echo')
    const refusal = new Error('a share has ended')
    const refused = sandboxes.start(spec, { open: () => Promise.reject(refusal) })
    await expect(refused).rejects.toBe(refusal)
    await expect(sandboxes.wait(spec.id)).rejects.toBeInstanceOf(SandboxUnknown)
    let opened = 0
    const open = async () => {
      opened += 1
      return { bytes: Buffer.from('later') }
    }
    await sandboxes.start(spec, { open })
    await sandboxes.wait(spec.id)
    expect(opened).toBe(1)
    expect(await text(await sandboxes.log(spec.id))).toBe('later')
  })

  test('a program does not start with a part of its input', async () => {
    const { executor: sandboxes } = get()
    const { spec, input, started } = await startInFlight('echo')
    input.destroy(new Error('gone'))
    await expect(started).rejects.toBeInstanceOf(Error)
    const isUnused = await sandboxes.forbid(spec.id)
    if (!isUnused) expect(programNeverStarted(await sandboxes.wait(spec.id))).toBe(true)
    await expect(sandboxes.start(spec, inputOf(Buffer.from('all of it')))).rejects.toMatchObject({
      slug: isUnused ? 'forbidden' : neverStarted,
    })
  })

  test('a stop during a start ends the program', async () => {
    const { executor: sandboxes } = get()
    const { spec, input, started } = await startInFlight('endless')
    const stopped = sandboxes.stop(spec.id)
    input.end()
    await Promise.all([started, stopped])
    expect(await sandboxes.wait(spec.id)).toMatchObject({ cause: 'stopped', exitCode: null })
  })

  test('stop ends a running sandbox, and a running sandbox cannot be removed', async () => {
    const { executor: sandboxes } = get()
    const spec = job('endless')
    await sandboxes.start(spec, noInput)
    expect(await sandboxes.list()).toContainEqual({ id: spec.id, state: 'running' })
    await expect(sandboxes.remove(spec.id)).rejects.toMatchObject({ slug: 'running' })
    await sandboxes.stop(spec.id)
    expect(await sandboxes.wait(spec.id)).toMatchObject({ cause: 'stopped', exitCode: null })
    await sandboxes.stop(spec.id)
    expect(await sandboxes.list()).toContainEqual({ id: spec.id, state: 'exited' })
  })

  test('a stop after the end does not change the exit record', async () => {
    const { executor: sandboxes } = get()
    const spec = job('echo')
    await sandboxes.start(spec, noInput)
    const exit = await sandboxes.wait(spec.id)
    await sandboxes.stop(spec.id)
    await sandboxes.terminate(spec.id)
    expect(exit).toMatchObject({ cause: 'exited', exitCode: 3 })
    expect(await sandboxes.wait(spec.id)).toEqual(exit)
  })

  test('terminate ends a running sandbox, and may be repeated', async () => {
    const { executor: sandboxes } = get()
    const spec = job('endless')
    await sandboxes.start(spec, noInput)
    await sandboxes.terminate(spec.id)
    await sandboxes.terminate(spec.id)
    expect(await sandboxes.wait(spec.id)).toMatchObject({ cause: 'stopped', exitCode: null })
    await sandboxes.terminate(spec.id)
  })

  test('a program that reaches its deadline is ended', async () => {
    const { executor: sandboxes } = get()
    const endless = job('endless')
    const spec = { ...endless, limits: { ...endless.limits, timeoutMs: 300 } }
    await sandboxes.start(spec, noInput)
    expect(await sandboxes.wait(spec.id)).toMatchObject({ cause: 'deadline', exitCode: null })
  })

  test('everybody who waits gets the same exit record, as often as they ask', async () => {
    const { executor: sandboxes } = get()
    const spec = job('endless')
    await sandboxes.start(spec, noInput)
    const waiting = [sandboxes.wait(spec.id), sandboxes.wait(spec.id)]
    await sandboxes.stop(spec.id)
    const [one, other] = await Promise.all(waiting)
    expect(other).toEqual(one)
    expect(await sandboxes.wait(spec.id)).toEqual(one)
  })

  test('the exit record counts what the program used', async () => {
    const { executor: sandboxes } = get()
    const spec = job('compute')
    await sandboxes.start(spec, noInput)
    const exit = await sandboxes.wait(spec.id)
    expect(exit).toMatchObject({ cause: 'exited', exitCode: 0, workspaceFull: false, oomKills: 0 })
    expect(exit.network).toMatchObject({ ingressBytes: 0, egressBytes: 0 })
    expect(exit.cpuMs).toBeGreaterThan(0)
    expect(exit.peakMemoryBytes).toBeGreaterThan(0)
    expect(Date.parse(exit.startedAt ?? '')).toBeLessThanOrEqual(Date.parse(exit.endedAt))
  })

  test('the exit record reports a full workspace', async () => {
    const { executor: sandboxes } = get()
    const spec = job('fill')
    await sandboxes.start(spec, noInput)
    expect(await sandboxes.wait(spec.id)).toMatchObject({ exitCode: 9, workspaceFull: true })
  })

  test('an aborted wait does not affect the sandbox', async () => {
    const { executor: sandboxes } = get()
    const spec = job('endless')
    await sandboxes.start(spec, noInput)
    const giveUp = new AbortController()
    const waiting = sandboxes.wait(spec.id, giveUp.signal)
    giveUp.abort(new Error('given up'))
    await expect(waiting).rejects.toThrow('given up')
    expect(await sandboxes.list()).toContainEqual({ id: spec.id, state: 'running' })
    await sandboxes.stop(spec.id)
    await sandboxes.wait(spec.id)
  })

  test('a removed sandbox is unknown and does not start again', async () => {
    const { executor: sandboxes } = get()
    const spec = job('echo')
    await sandboxes.start(spec, noInput)
    await sandboxes.wait(spec.id)
    await sandboxes.remove(spec.id)
    await sandboxes.remove(spec.id)
    await expect(sandboxes.wait(spec.id)).rejects.toBeInstanceOf(SandboxUnknown)
    await expect(sandboxes.log(spec.id)).rejects.toBeInstanceOf(SandboxUnknown)
    await expect(sandboxes.start(spec, noInput)).rejects.toMatchObject({ slug: 'removed' })
    expect(await sandboxes.forbid(spec.id)).toBe(false)
  })

  test('a forbidden id never starts, and a started one cannot be forbidden', async () => {
    const { executor: sandboxes } = get()
    const never = job('echo')
    expect(await sandboxes.forbid(never.id)).toBe(true)
    expect(await sandboxes.forbid(never.id)).toBe(true)
    await expect(sandboxes.start(never, noInput)).rejects.toMatchObject({ slug: 'forbidden' })
    const spec = job('echo')
    await sandboxes.start(spec, noInput)
    expect(await sandboxes.forbid(spec.id)).toBe(false)
    await sandboxes.wait(spec.id)
  })

  test('a start long after its claim is refused, unless the sandbox has started before', async () => {
    const { executor: sandboxes } = get()
    const hours = (count: number) => new Date(Date.now() - count * 3_600_000).toISOString()
    const late = { ...job('echo'), claimedAt: hours(12.1) }
    await expect(sandboxes.start(late, noInput)).rejects.toMatchObject({ slug: 'claim_expired' })
    const ahead = { ...job('echo'), claimedAt: hours(-12.1) }
    await expect(sandboxes.start(ahead, noInput)).rejects.toMatchObject({ slug: 'claim_expired' })
    expect(await sandboxes.forbid(late.id)).toBe(true)
    const spec = { ...job('echo'), claimedAt: hours(11.9) }
    await sandboxes.start(spec, noInput)
    await sandboxes.start({ ...spec, claimedAt: hours(13) }, noInput)
    await sandboxes.wait(spec.id)
  })

  test('an id that was never started is unknown', async () => {
    const { executor: sandboxes } = get()
    const id = newId('run')
    await expect(sandboxes.wait(id)).rejects.toBeInstanceOf(SandboxUnknown)
    await expect(sandboxes.stop(id)).rejects.toBeInstanceOf(SandboxUnknown)
    await expect(sandboxes.terminate(id)).rejects.toBeInstanceOf(SandboxUnknown)
    await sandboxes.remove(id)
  })

  test('a start refuses an image that is not installed', async () => {
    const { executor: sandboxes } = get()
    const spec = smallJob({ ...get(), digest: `sha256:${'0'.repeat(64)}` }, 'echo')
    await expect(sandboxes.start(spec, noInput)).rejects.toMatchObject({ slug: 'image_missing' })
  })
}
