import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { newId } from '../base/ids.ts'
import { sha256Of } from '../base/sha256.ts'
import { type Executor, type SandboxRuntime, type SandboxSpec, SandboxUnknown } from './port.ts'

/** An executor under test, and the argument vectors by which its sandboxes do what the suite needs. */
export interface ExecutorUnderTest {
  executor: Executor
  runtime: SandboxRuntime
  /** An installed image. */
  digest: string
  /** Writes its input to its log and to /workspace/output.json, and exits with 3. */
  echo: string[]
  /** Runs until it is stopped. */
  endless: string[]
}

const MiB = 1024 * 1024

/** What every executor keeps of the port's promises. `get` is called inside of each test. */
export function executorConformance(name: string, get: () => ExecutorUnderTest): void {
  const spec = (argv: string[], digest = get().digest): SandboxSpec => ({
    id: newId('run'),
    rootfs: { kind: 'image', digest },
    argv,
    env: {},
    user: { uid: 0, gid: 0 },
    hostname: 'job',
    runtime: get().runtime,
    confinement: 'job',
    network: 'none',
    limits: {
      timeoutMs: 20_000,
      memoryBytes: 64 * MiB,
      workspaceBytes: 8 * MiB,
      workspaceKind: 'memory',
      workspaceInodes: 256,
      vcpu: 1,
      pids: 16,
      openFiles: 64,
      logBytes: 4096,
    },
    collect: { files: [{ name: 'output', path: '/workspace/output.json', maxBytes: 100 }] },
  })

  describe(`${name} keeps the executor port`, () => {
    test('a program gets its input, and its exit, log and file can be read', async () => {
      const { executor, echo } = get()
      const job = spec(echo)
      await executor.start(job, Readable.from([Buffer.from('in'), Buffer.from('put')]))
      const exit = await executor.wait(job.id)
      expect(exit).toMatchObject({ cause: 'exited', exitCode: 3, detail: '', tree: null })
      expect(exit.files.output).toEqual({ status: 'present', byteSize: 5 })
      expect(await text(await executor.log(job.id))).toBe('input')
      expect(await text(await executor.file(job.id, 'output'))).toBe('input')
      await expect(executor.file(job.id, 'other')).rejects.toBeInstanceOf(SandboxUnknown)
    })

    test('the log shows no value that is to be masked', async () => {
      const { executor, echo } = get()
      const job = spec(echo)
      await executor.start(job, Buffer.from('key=opensesame, twice: opensesame'), ['opensesame'])
      await executor.wait(job.id)
      expect(await text(await executor.log(job.id))).toBe('key=[masked], twice: [masked]')
    })

    test('the log can be read on from where a reader was', async () => {
      const { executor, echo } = get()
      const job = spec(echo)
      await executor.start(job, Buffer.from('0123456789'))
      await executor.wait(job.id)
      const since = async (position: number) => {
        const { start, bytes } = await executor.logSince(job.id, position)
        return [start, bytes.toString()]
      }
      expect(await since(0)).toEqual([0, '0123456789'])
      expect(await since(7)).toEqual([7, '789'])
      expect(await since(10)).toEqual([10, ''])
      expect(await since(99)).toEqual([10, ''])
    })

    test('it says what runs its sandboxes, the same each time', async () => {
      const { executor } = get()
      const runner = await executor.runner()
      expect(runner.layerDigest).toMatch(/^sha256:[0-9a-f]{64}$/)
      expect(runner.policyDigest).toMatch(/^sha256:[0-9a-f]{64}$/)
      expect(runner.abiRevision).toBeGreaterThan(0)
      expect(await executor.runner()).toEqual(runner)
    })

    test('an id is started at most once', async () => {
      const { executor, echo } = get()
      const job = spec(echo)
      await executor.start(job, Buffer.from('first'))
      await executor.wait(job.id)
      await executor.start(job, Buffer.from('second'))
      expect(await text(await executor.log(job.id))).toBe('first')
    })

    test('stop ends what runs, and what runs is not removed', async () => {
      const { executor, endless } = get()
      const job = spec(endless)
      await executor.start(job, Buffer.alloc(0))
      expect(await executor.list()).toContainEqual({ id: job.id, state: 'running' })
      await expect(executor.remove(job.id)).rejects.toMatchObject({ slug: 'running' })
      await executor.stop(job.id)
      expect(await executor.wait(job.id)).toMatchObject({ cause: 'stopped', exitCode: null })
      await executor.stop(job.id)
      expect(await executor.list()).toContainEqual({ id: job.id, state: 'exited' })
    })

    test('a wait that is given up leaves the sandbox alone', async () => {
      const { executor, endless } = get()
      const job = spec(endless)
      await executor.start(job, Buffer.alloc(0))
      const giveUp = new AbortController()
      const waiting = executor.wait(job.id, giveUp.signal)
      giveUp.abort(new Error('given up'))
      await expect(waiting).rejects.toThrow('given up')
      expect(await executor.list()).toContainEqual({ id: job.id, state: 'running' })
      await executor.stop(job.id)
      await executor.wait(job.id)
    })

    test('what is removed is unknown, and does not start again', async () => {
      const { executor, echo } = get()
      const job = spec(echo)
      await executor.start(job, Buffer.alloc(0))
      await executor.wait(job.id)
      await executor.remove(job.id)
      await executor.remove(job.id)
      await expect(executor.wait(job.id)).rejects.toBeInstanceOf(SandboxUnknown)
      await expect(executor.log(job.id)).rejects.toBeInstanceOf(SandboxUnknown)
      await expect(executor.start(job, Buffer.alloc(0))).rejects.toMatchObject({ slug: 'removed' })
      expect(await executor.forbid(job.id)).toBe(false)
    })

    test('what is forbidden never starts, and what was started cannot be forbidden', async () => {
      const { executor, echo } = get()
      const never = spec(echo)
      expect(await executor.forbid(never.id)).toBe(true)
      expect(await executor.forbid(never.id)).toBe(true)
      await expect(executor.start(never, Buffer.alloc(0))).rejects.toMatchObject({ slug: 'forbidden' })
      const job = spec(echo)
      await executor.start(job, Buffer.alloc(0))
      expect(await executor.forbid(job.id)).toBe(false)
      await executor.wait(job.id)
    })

    test('a start long after its claim is refused, and what has started is found by one', async () => {
      const { executor, echo } = get()
      const hours = (count: number) => new Date(Date.now() - count * 3_600_000).toISOString()
      const late = { ...spec(echo), claimedAt: hours(12.1) }
      await expect(executor.start(late, Buffer.alloc(0))).rejects.toMatchObject({ slug: 'claim_expired' })
      const ahead = { ...spec(echo), claimedAt: hours(-12.1) }
      await expect(executor.start(ahead, Buffer.alloc(0))).rejects.toMatchObject({ slug: 'claim_expired' })
      expect(await executor.forbid(late.id)).toBe(true)
      const job = { ...spec(echo), claimedAt: hours(11.9) }
      await executor.start(job, Buffer.alloc(0))
      await executor.start({ ...job, claimedAt: hours(13) }, Buffer.alloc(0))
      await executor.wait(job.id)
    })

    test('an id nobody started is unknown', async () => {
      const { executor } = get()
      const id = newId('run')
      await expect(executor.wait(id)).rejects.toBeInstanceOf(SandboxUnknown)
      await expect(executor.stop(id)).rejects.toBeInstanceOf(SandboxUnknown)
      await expect(executor.tree(id)).rejects.toBeInstanceOf(SandboxUnknown)
      await executor.remove(id)
    })

    test('an image is installed under the digest of its bytes only', async () => {
      const { executor, echo } = get()
      const tar = Buffer.alloc(10_240)
      const digest = sha256Of(tar)
      const other = `sha256:${'0'.repeat(64)}`
      await expect(executor.installImage(other, Readable.from([tar]))).rejects.toMatchObject({
        slug: 'digest_mismatch',
      })
      expect(await executor.hasImage(other)).toBe(false)
      await expect(executor.start(spec(echo, other), Buffer.alloc(0))).rejects.toMatchObject({
        slug: 'image_missing',
      })
      await executor.installImage(digest, Readable.from([tar]))
      await executor.installImage(digest, Readable.from([tar]))
      expect(await executor.hasImage(digest)).toBe(true)
      await executor.removeImage(digest)
      expect(await executor.hasImage(digest)).toBe(false)
    })
  })
}
