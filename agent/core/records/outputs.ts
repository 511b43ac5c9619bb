import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { SandboxUnknown } from '../../port/errors.ts'
import type { LogPart } from '../../port/sandboxes.ts'
import { exitOf, type Sandbox } from '../sandboxes/sandbox.ts'
import { awaitLogSince, readLog } from './bounded-log.ts'

/* Outputs that can be read from a sandbox: its log at any time, and collected files after it has ended. */

export function logOf({ folder, startRecord }: Sandbox): Readable {
  return readLog(folder, startRecord.spec.limits.logBytes)
}

export function logSince(
  { folder, startRecord }: Sandbox,
  { position, waitMs }: { position: number; waitMs: number },
): Promise<LogPart> {
  return awaitLogSince(folder, { limit: startRecord.spec.limits.logBytes, position, waitMs })
}

/** A collected file by name; throws `SandboxUnknown` unless the record says it is present. */
export async function fileOf(sandbox: Sandbox, name: string): Promise<Readable> {
  const exit = await exitOf(sandbox)
  const { spec } = sandbox.startRecord
  const at = spec.collect.files.findIndex((file) => file.name === name)
  if (at < 0 || exit?.files[name]?.status !== 'present') throw new SandboxUnknown(`${spec.id}/${name}`)
  return (await open(join(sandbox.folder, `result.${at}`), 'r')).createReadStream()
}

/** All collected tree files, one after another. */
export const treeOf = (sandbox: Sandbox): Promise<Readable> => collectedBytes(sandbox, 'tree')

/** The entries of a collected folder. */
export const folderOf = (sandbox: Sandbox): Promise<Readable> => collectedBytes(sandbox, 'folder')

async function collectedBytes(sandbox: Sandbox, part: 'tree' | 'folder'): Promise<Readable> {
  const exit = await exitOf(sandbox)
  const collected = exit?.[part]
  if (collected?.status === 'absent') return Readable.from([])
  if (collected?.status !== 'collected') throw new SandboxUnknown(`${sandbox.startRecord.spec.id}/${part}`)
  return (await open(join(sandbox.folder, `${part}.data`), 'r')).createReadStream()
}
