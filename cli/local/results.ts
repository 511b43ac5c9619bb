import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import {
  artifactFilesMax,
  artifactPathComponentMaxBytes,
  artifactPathMaxBytes,
  outputMaxBytes,
} from '@sandbox-jobs/contract/limits.ts'
import type { RunErrorCode } from '@sandbox-jobs/contract/resources/runs/run-failure.ts'
import { extract } from 'tar-stream'
import type { Destination } from '../runs/save-artifact.ts'
import { saveArtifact } from '../runs/save-artifact.ts'
import { type UnsavedArtifact, unsavedArtifact } from '../runs/unsaved-artifacts.ts'
import type { Container, ResultName } from './engines/engine.ts'

/** The output that a run left; `problem` is the error code of a run on the service. */
export type LocalOutput =
  | { kind: 'present'; bytes: Buffer }
  | { kind: 'absent' }
  | { kind: 'refused'; problem: Extract<RunErrorCode, 'output_too_large' | 'output_invalid'> }

export interface LocalArtifact {
  relative_path: string
  byte_size: number
  digest: string
}

/** All artifacts by path, or the rule that one of them breaks: then a run on the service keeps none. */
export type LocalArtifacts =
  | { kind: 'kept'; items: LocalArtifact[] }
  | { kind: 'refused'; rule: string; path: string; reason: string }

export async function readOutput(container: Container): Promise<LocalOutput> {
  for await (const { header, bytes } of entriesOf(container, 'output.json')) {
    if (header.type !== 'file') return { kind: 'refused', problem: 'output_invalid' }
    if (header.size > outputMaxBytes) return { kind: 'refused', problem: 'output_too_large' }
    return { kind: 'present', bytes: await buffer(bytes) }
  }
  return { kind: 'absent' }
}

export async function listArtifacts(container: Container): Promise<LocalArtifacts> {
  const items: LocalArtifact[] = []
  for await (const { header, bytes } of entriesOf(container, 'artifacts')) {
    const path = pathOf(header.name)
    if (header.type === 'directory') continue
    const broken = brokenRule(header.type, path, items.length)
    if (broken) return { kind: 'refused', path, ...broken }
    const hash = createHash('sha256')
    for await (const chunk of bytes) hash.update(chunk)
    items.push({ relative_path: path, byte_size: header.size, digest: `sha256:${hash.digest('hex')}` })
  }
  return { kind: 'kept', items: items.sort((a, b) => (a.relative_path < b.relative_path ? -1 : 1)) }
}

/** Saves listed artifacts below a folder, and returns those that cannot be saved under their names. */
export async function saveArtifacts(
  container: Container,
  items: readonly LocalArtifact[],
  { folder, replace }: Pick<Destination, 'folder' | 'replace'>,
): Promise<UnsavedArtifact[]> {
  const unsaved: UnsavedArtifact[] = []
  for await (const { header, bytes } of entriesOf(container, 'artifacts')) {
    const item = items.find(({ relative_path }) => relative_path === pathOf(header.name))
    if (!item) continue
    const { relative_path: relativePath, byte_size: byteSize, digest } = item
    const stream = Readable.toWeb(Readable.from(bytes)) as ReadableStream<Uint8Array>
    const { mtime: modifiedAt } = header
    await saveArtifact(stream, { folder, replace, relativePath, byteSize, digest, modifiedAt }).catch(
      (error: unknown) => {
        unsaved.push(unsavedArtifact(relativePath, error))
      },
    )
  }
  return unsaved
}

const pathOf = (name: string): string => name.replace(/^artifacts\//, '')

/** The rules that authors meet. The service checks further ones (contract part 1, "Runtime contract"). */
function brokenRule(
  type: string,
  path: string,
  before: number,
): { rule: string; reason: string } | undefined {
  if (type === 'symlink') return { rule: 'symlink', reason: 'is a symbolic link' }
  if (type === 'link') return { rule: 'hard_link', reason: 'has a second name (a hard link)' }
  if (type !== 'file') return { rule: 'special_file', reason: 'is a FIFO, a socket or a device' }
  if (before >= artifactFilesMax) {
    return { rule: 'too_many_files', reason: `is one of more than ${artifactFilesMax} files` }
  }
  if (Buffer.byteLength(path) > artifactPathMaxBytes)
    return { rule: 'path_too_long', reason: 'has too long a path' }
  if (path.split('/').some((part) => Buffer.byteLength(part) > artifactPathComponentMaxBytes)) {
    return { rule: 'name_too_long', reason: 'has too long a name' }
  }
  return undefined
}

/** The entries of the archive of a result. The part of one that the caller does not read is skipped. */
async function* entriesOf(container: Container, name: ResultName) {
  const archive = Readable.from(container.result(name))
  const entries = extract()
  archive.on('error', (error) => entries.destroy(error)).pipe(entries)
  try {
    for await (const entry of entries) {
      yield { header: entry.header, bytes: entry as unknown as AsyncIterable<Uint8Array> }
      entry.resume()
    }
  } finally {
    archive.destroy()
  }
}
