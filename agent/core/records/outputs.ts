import { readFileSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { SandboxUnknown } from '../../port/errors.ts'
import type { LogPart } from '../../port/results.ts'
import { exitOf, type Sandbox } from '../sandboxes/sandbox.ts'
import { awaitLogSince, readLog } from './bounded-log.ts'
import { smallBytes } from './small-file.ts'

/* Outputs that can be read from a sandbox: its log at any time, and collected files after it has ended. */

/** The bytes if they are few. */
export type Output = Buffer | Readable

export function logOf({ folder, startRecord }: Sandbox): Output {
  return readLog(folder, startRecord.spec.limits.logBytes)
}

export function logSince(
  { folder, startRecord }: Sandbox,
  { position, waitMs }: { position: number; waitMs: number },
): Promise<LogPart> {
  return awaitLogSince(folder, { limit: startRecord.spec.limits.logBytes, position, waitMs })
}

/** A collected file by name; throws `SandboxUnknown` unless the record says it is present. */
export async function fileOf(sandbox: Sandbox, name: string): Promise<Output> {
  const exit = await exitOf(sandbox)
  const { spec } = sandbox.startRecord
  const at = spec.collect.files.findIndex((file) => file.name === name)
  if (at < 0 || exit?.files[name]?.status !== 'present') throw new SandboxUnknown(`${spec.id}/${name}`)
  return storedFile(join(sandbox.folder, `result.${at}`))
}

/** All collected tree files, one after another. */
export const treeOf = (sandbox: Sandbox): Promise<Output> => collectedBytes(sandbox, 'tree')

/** The entries of a collected folder. */
export const folderOf = (sandbox: Sandbox): Promise<Output> => collectedBytes(sandbox, 'folder')

async function collectedBytes(sandbox: Sandbox, part: 'tree' | 'folder'): Promise<Output> {
  const exit = await exitOf(sandbox)
  const collected = exit?.[part]
  if (collected?.status === 'absent') return Buffer.alloc(0)
  if (collected?.status !== 'collected') throw new SandboxUnknown(`${sandbox.startRecord.spec.id}/${part}`)
  return storedFile(join(sandbox.folder, `${part}.data`))
}

const storedFile = async (path: string): Promise<Output> =>
  statSync(path).size <= smallBytes ? readFileSync(path) : (await open(path, 'r')).createReadStream()
