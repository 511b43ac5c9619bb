import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { SandboxUnknown } from '../../agent/port/errors.ts'
import { inputOf } from '../../agent/port/start-input.ts'
import { newId } from '../../server/base/ids.ts'
import { noInput } from '../no-input.ts'
import { type ExecutorUnderTest, smallJob } from './under-test.ts'

/** The promises of `SandboxPort`. */
export function sandboxConformance(get: () => ExecutorUnderTest): void {
  const job = (argv: string[]) => smallJob(get(), argv)

  test('an id is started at most once', async () => {
    const { executor: sandboxes, echo } = get()
    const spec = job(echo)
    await sandboxes.start(spec, inputOf(Buffer.from('first')))
    await sandboxes.wait(spec.id)
    await sandboxes.start(spec, inputOf(Buffer.from('second')))
    expect(await text(await sandboxes.log(spec.id))).toBe('first')
  })

  test('stop ends a running sandbox, and a running sandbox cannot be removed', async () => {
    const { executor: sandboxes, endless } = get()
    const spec = job(endless)
    await sandboxes.start(spec, noInput)
    expect(await sandboxes.list()).toContainEqual({ id: spec.id, state: 'running' })
    await expect(sandboxes.remove(spec.id)).rejects.toMatchObject({ slug: 'running' })
    await sandboxes.stop(spec.id)
    expect(await sandboxes.wait(spec.id)).toMatchObject({ cause: 'stopped', exitCode: null })
    await sandboxes.stop(spec.id)
    expect(await sandboxes.list()).toContainEqual({ id: spec.id, state: 'exited' })
  })

  test('terminate ends a running sandbox, and may be repeated', async () => {
    const { executor: sandboxes, endless } = get()
    const spec = job(endless)
    await sandboxes.start(spec, noInput)
    await sandboxes.terminate(spec.id)
    await sandboxes.terminate(spec.id)
    expect(await sandboxes.wait(spec.id)).toMatchObject({ cause: 'stopped', exitCode: null })
    await sandboxes.terminate(spec.id)
  })

  test('an aborted wait does not affect the sandbox', async () => {
    const { executor: sandboxes, endless } = get()
    const spec = job(endless)
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
    const { executor: sandboxes, echo } = get()
    const spec = job(echo)
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
    const { executor: sandboxes, echo } = get()
    const never = job(echo)
    expect(await sandboxes.forbid(never.id)).toBe(true)
    expect(await sandboxes.forbid(never.id)).toBe(true)
    await expect(sandboxes.start(never, noInput)).rejects.toMatchObject({ slug: 'forbidden' })
    const spec = job(echo)
    await sandboxes.start(spec, noInput)
    expect(await sandboxes.forbid(spec.id)).toBe(false)
    await sandboxes.wait(spec.id)
  })

  test('a start long after its claim is refused, unless the sandbox has started before', async () => {
    const { executor: sandboxes, echo } = get()
    const hours = (count: number) => new Date(Date.now() - count * 3_600_000).toISOString()
    const late = { ...job(echo), claimedAt: hours(12.1) }
    await expect(sandboxes.start(late, noInput)).rejects.toMatchObject({ slug: 'claim_expired' })
    const ahead = { ...job(echo), claimedAt: hours(-12.1) }
    await expect(sandboxes.start(ahead, noInput)).rejects.toMatchObject({ slug: 'claim_expired' })
    expect(await sandboxes.forbid(late.id)).toBe(true)
    const spec = { ...job(echo), claimedAt: hours(11.9) }
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
    const { executor: sandboxes, echo } = get()
    const spec = smallJob({ ...get(), digest: `sha256:${'0'.repeat(64)}` }, echo)
    await expect(sandboxes.start(spec, noInput)).rejects.toMatchObject({ slug: 'image_missing' })
  })
}
