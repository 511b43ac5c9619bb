import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { SandboxUnknown } from '../../agent/port/errors.ts'
import { type FolderEntryHead, folderParts } from '../../agent/port/folder-entries.ts'
import { inputOf } from '../../agent/port/start-input.ts'
import { newId } from '../../server/base/ids.ts'
import { sha256Of } from '../../server/base/sha256.ts'
import { noInput } from '../no-input.ts'
import { type ExecutorUnderTest, leavingJob, smallJob } from './under-test.ts'

/** The promises of `ResultPort`. */
export function resultConformance(get: () => ExecutorUnderTest): void {
  const job = (program: Parameters<typeof smallJob>[1]) => smallJob(get(), program)

  test('a program gets its input, and its exit, log and file can be read, as often as somebody asks', async () => {
    const { executor: sandboxes } = get()
    const spec = job('echo')
    const pieces = Readable.from([Buffer.from('in'), Buffer.from('put')])
    await sandboxes.start(spec, inputOf(pieces))
    const exit = await sandboxes.wait(spec.id)
    expect(exit).toMatchObject({ cause: 'exited', exitCode: 3, detail: '', tree: null, folder: null })
    expect(exit.files.output).toEqual({ status: 'present', byteSize: 5 })
    for (let time = 0; time < 2; time += 1) {
      expect(await text(await sandboxes.log(spec.id))).toBe('input')
      expect(await text(await sandboxes.file(spec.id, 'output'))).toBe('input')
    }
    await expect(sandboxes.file(spec.id, 'other')).rejects.toBeInstanceOf(SandboxUnknown)
  })

  test('the tree and the folder that a program leaves can be read', async () => {
    const { executor: sandboxes } = get()
    const spec = leavingJob(get())
    await sandboxes.start(spec, noInput)
    const { tree, folder } = await sandboxes.wait(spec.id)
    expect(tree).toMatchObject({ status: 'collected', files: [{ path: 'a/b', byteSize: 3 }] })
    expect(folder).toMatchObject({ status: 'collected' })
    for (let time = 0; time < 2; time += 1) {
      expect(await text(await sandboxes.tree(spec.id))).toBe('one')
      expect(await entriesOf(await sandboxes.folder(spec.id))).toEqual(['file new new', 'file old kept'])
    }
  })

  test('a file of the folder whose content the caller knows is collected as its digest', async () => {
    const { executor: sandboxes } = get()
    const spec = leavingJob(get())
    const digest = sha256Of('kept')
    await sandboxes.start(spec, inputOf(Buffer.alloc(0), { known: [{ byteSize: 4, digest }] }))
    await sandboxes.wait(spec.id)
    const bytes = Buffer.from(digest.slice('sha256:'.length), 'hex').toString('latin1')
    expect(await entriesOf(await sandboxes.folder(spec.id))).toEqual(['file new new', `known old ${bytes}`])
  })

  test('what a program did not leave is absent', async () => {
    const { executor: sandboxes } = get()
    const spec = { ...leavingJob(get()), argv: get().programs.compute }
    await sandboxes.start(spec, noInput)
    const exit = await sandboxes.wait(spec.id)
    expect(exit.files.output).toEqual({ status: 'absent', byteSize: 0 })
    expect([exit.tree?.status, exit.folder?.status]).toEqual(['absent', 'absent'])
    await expect(sandboxes.file(spec.id, 'output')).rejects.toBeInstanceOf(SandboxUnknown)
    expect(await text(await sandboxes.tree(spec.id))).toBe('')
    expect(await text(await sandboxes.folder(spec.id))).toBe('')
  })

  test('the log shows no masked value', async () => {
    const { executor: sandboxes } = get()
    const spec = job('echo')
    const input = Buffer.from('key=opensesame, twice: opensesame')
    await sandboxes.start(spec, inputOf(input, { masked: ['opensesame'] }))
    await sandboxes.wait(spec.id)
    expect(await text(await sandboxes.log(spec.id))).toBe('key=[masked], twice: [masked]')
    const { bytes } = await sandboxes.logSince(spec.id, 0)
    expect(bytes.toString()).toBe('key=[masked], twice: [masked]')
  })

  test('the log can be read while the program runs', async () => {
    const { executor: sandboxes } = get()
    const spec = job('endless')
    await sandboxes.start(spec, noInput)
    const { start, bytes } = await sandboxes.logSince(spec.id, 0, 10_000)
    expect([start, bytes.toString()]).toEqual([0, 'begun\n'])
    expect(await text(await sandboxes.log(spec.id))).toBe('begun\n')
    await sandboxes.stop(spec.id)
    const exit = await sandboxes.wait(spec.id)
    expect(exit.log).toEqual({ totalBytes: 6, keptBytes: 6 })
    expect(await text(await sandboxes.log(spec.id))).toBe('begun\n')
  })

  test('the log can be read from any position on', async () => {
    const { executor: sandboxes } = get()
    const spec = job('echo')
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

/** Kind, path and content of each entry, sorted by path. */
async function entriesOf(stream: Readable): Promise<string[]> {
  const entries: { head: FolderEntryHead; content: string }[] = []
  for await (const part of folderParts(stream)) {
    if (!Buffer.isBuffer(part)) entries.push({ head: part, content: '' })
    else {
      const last = entries.at(-1)
      if (last) last.content += part.toString('latin1')
    }
  }
  return entries
    .toSorted((one, other) => (one.head.path < other.head.path ? -1 : 1))
    .map(({ head, content }) => `${head.kind} ${head.path} ${content}`)
}
