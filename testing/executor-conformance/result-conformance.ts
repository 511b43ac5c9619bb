import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { SandboxUnknown } from '../../agent/port/errors.ts'
import { inputOf } from '../../agent/port/start-input.ts'
import { newId } from '../../server/base/ids.ts'
import { type ExecutorUnderTest, smallJob } from './under-test.ts'

/** The promises of `ResultPort`. */
export function resultConformance(get: () => ExecutorUnderTest): void {
  const job = (argv: string[]) => smallJob(get(), argv)

  test('a program gets its input, and its exit, log and file can be read', async () => {
    const { executor: sandboxes, echo } = get()
    const spec = job(echo)
    await sandboxes.start(spec, inputOf(Readable.from([Buffer.from('in'), Buffer.from('put')])))
    const exit = await sandboxes.wait(spec.id)
    expect(exit).toMatchObject({ cause: 'exited', exitCode: 3, detail: '', tree: null, folder: null })
    expect(exit.files.output).toEqual({ status: 'present', byteSize: 5 })
    expect(await text(await sandboxes.log(spec.id))).toBe('input')
    expect(await text(await sandboxes.file(spec.id, 'output'))).toBe('input')
    await expect(sandboxes.file(spec.id, 'other')).rejects.toBeInstanceOf(SandboxUnknown)
  })

  test('the log shows no masked value', async () => {
    const { executor: sandboxes, echo } = get()
    const spec = job(echo)
    await sandboxes.start(
      spec,
      inputOf(Buffer.from('key=opensesame, twice: opensesame'), { masked: ['opensesame'] }),
    )
    await sandboxes.wait(spec.id)
    expect(await text(await sandboxes.log(spec.id))).toBe('key=[masked], twice: [masked]')
  })

  test('the log can be read from any position on', async () => {
    const { executor: sandboxes, echo } = get()
    const spec = job(echo)
    await sandboxes.start(spec, inputOf(Buffer.from('0123456789')))
    await sandboxes.wait(spec.id)
    const since = async (position: number) => {
      const { start, bytes } = await sandboxes.logSince(spec.id, position)
      return [start, bytes.toString()]
    }
    expect(await since(0)).toEqual([0, '0123456789'])
    expect(await since(7)).toEqual([7, '789'])
    expect(await since(10)).toEqual([10, ''])
    expect(await since(99)).toEqual([10, ''])
  })

  test('an id that was never started has no results', async () => {
    const { executor: sandboxes } = get()
    const id = newId('run')
    await expect(sandboxes.log(id)).rejects.toBeInstanceOf(SandboxUnknown)
    await expect(sandboxes.logSince(id, 0)).rejects.toBeInstanceOf(SandboxUnknown)
    await expect(sandboxes.file(id, 'output')).rejects.toBeInstanceOf(SandboxUnknown)
    await expect(sandboxes.tree(id)).rejects.toBeInstanceOf(SandboxUnknown)
    await expect(sandboxes.folder(id)).rejects.toBeInstanceOf(SandboxUnknown)
  })
}
