import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, expect, it } from 'vitest'
import type { ResultPort } from '../../../agent/port/results.ts'
import { exitRecord } from '../../../testing/scripted-executor.ts'
import { DiskStorage } from '../../storage/disk.ts'
import { collectRun } from './collect-run.ts'

const folder = mkdtempSync(join(tmpdir(), 'sandbox-test-collect-'))
afterEach(() => rmSync(folder, { recursive: true }))

it('leaves no stream of the host open when the disk is too full for the results', async () => {
  const opened: Readable[] = []
  const open = async () => {
    const stream = Readable.from([Buffer.from('result')])
    opened.push(stream)
    return stream
  }
  const executor = { file: open, log: open, tree: open } as unknown as ResultPort
  const storage = new DiskStorage(folder, Number.MAX_SAFE_INTEGER)
  const exit = exitRecord({
    log: { totalBytes: 6, keptBytes: 6 },
    files: { output: { status: 'present', byteSize: 6 } },
    tree: { status: 'collected', reason: '', files: [{ path: 'a', byteSize: 6, modifiedAt: 5 }] },
  })
  for (const reason of ['', 'symlink']) {
    const tree = reason === '' ? exit.tree : { status: 'rejected' as const, reason, files: [] }
    const source = { runId: 'run_1', sandboxId: 'run_1_1', exit: { ...exit, tree }, lastLines: '' }
    await expect(collectRun({ executor, storage }, source)).rejects.toThrow('ENOSPC')
  }
  // The first failure ends the collection; the store may refuse the others a moment later.
  await expect.poll(() => opened.filter(({ destroyed }) => !destroyed)).toEqual([])
})
