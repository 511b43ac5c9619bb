import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Occupancy } from '../../capacity/occupancy.ts'
import type { SandboxMaker } from '../make/sandbox-maker.ts'
import type { Marks } from '../marks/marks.ts'
import { hasRecordFile, neverReleased } from '../records/exit-record.ts'
import { readStartRecord, type StartRecord } from '../records/start-record.ts'
import type { Residue } from '../residue.ts'
import { findShim } from '../shim/shim.ts'
import { newSandbox, type Sandbox } from './sandbox.ts'
import type { SandboxEndings } from './sandbox-endings.ts'

export interface RecoveryParts {
  /** The folder of all sandboxes. */
  folder: string
  marks: Marks
  known: Map<string, Sandbox>
  occupancy: Occupancy
  residue: Residue
  maker: SandboxMaker
  endings: SandboxEndings
  /** Receives what fails for one sandbox; the agent starts without it. */
  onError: (error: unknown) => void
  /** Called periodically with the number of sandbox folders handled so far. */
  onProgress: (done: number, total: number) => void
}

const foldersPerReport = 500

/** Takes over the sandboxes of an earlier agent: adopts live ones, records and cleans up dead ones. */
export async function recoverSandboxes(parts: RecoveryParts): Promise<void> {
  const { folder, residue, onProgress, onError } = parts
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const abandoned: string[] = []
  const names = await readdir(folder)
  for (const [at, name] of names.entries()) {
    if (at > 0 && at % foldersPerReport === 0) onProgress(at, names.length)
    if (!(await adopt(parts, name))) abandoned.push(name)
  }
  await Promise.all(
    abandoned.map((name) => destroyAbandoned(residue, { name, folder: join(folder, name) }).catch(onError)),
  )
}

/** False if the sandbox in that folder never got the start signal. */
async function adopt(parts: RecoveryParts, name: string): Promise<boolean> {
  const { known, occupancy, residue, maker, endings, onError } = parts
  const folder = join(parts.folder, name)
  const startRecord = startRecordIn(folder)
  if (!startRecord) return false
  const { spec } = startRecord
  const shim = await findShim(folder)
  const sandbox = newSandbox(startRecord, folder, true)
  if (shim) {
    known.set(spec.id, sandbox)
    occupancy.hold(spec)
    maker.adopt(startRecord)
    endings.follow(sandbox, shim)
    return true
  }
  if (!hasRecordFile(folder)) return false
  const exit = (await residue.record(startRecord, folder).catch(onError)) ?? undefined
  if (exit && neverReleased(exit)) return false
  known.set(spec.id, sandbox)
  await residue.sweep({ name, folder }).catch(onError)
  sandbox.phase = 'gone'
  sandbox.running.resolve()
  sandbox.exited.resolve(exit)
  return true
}

/** Without it the id is not known, which may have started: no agent works, so that nothing starts twice. */
function startRecordIn(folder: string): StartRecord | undefined {
  try {
    return readStartRecord(folder)
  } catch (cause) {
    throw new Error(`the start record in ${folder} cannot be read, so the agent does not start`, { cause })
  }
}

/** The shim of such a sandbox exits because the agent that started it is gone. */
async function destroyAbandoned(residue: Residue, at: { name: string; folder: string }): Promise<void> {
  const shim = await findShim(at.folder)
  await shim?.gone
  await residue.clear(at)
}
