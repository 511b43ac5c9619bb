import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { logMaxBytes, outputMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import type { ResultPort } from '../../../agent/port/results.ts'
import type { SandboxExit } from '../../../agent/port/sandbox-exit.ts'
import { openedLate } from '../../storage/opened-late.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import { bundleMaxBytes, outputName } from '../model/result-layout.ts'
import { type NamedArtifact, nameArtifacts } from './artifact-names.ts'
import { type ArtifactRefusal, refusalLine, refusalOf } from './artifact-refusal.ts'
import { atHalfSpeed } from './result-pace.ts'

export interface CollectedObject {
  key: string
  byteSize: number
  digest: string
}

export interface CollectedArtifact extends NamedArtifact {
  /** Offset of its first byte in the bundle. */
  offset: number
  digest: string
}

/** The results of a run in the object store. */
export interface Collected {
  output: CollectedObject | null
  log: CollectedObject | null
  bundle: CollectedObject | null
  artifacts: CollectedArtifact[]
  /** Absent if no artifact was refused. */
  refusal?: ArtifactRefusal | undefined
}

export interface CollectDeps {
  executor: ResultPort
  storage: ObjectStorage
}

/**
 * Copies a sandbox's output, log and artifacts to the object store, under keys that depend only on the sandbox: a repetition
 * writes the same objects. Nobody reads them before the run's row refers to them. Throws the errors of the executor and the
 * store, so that the caller retries.
 */
export async function collectRun(
  deps: CollectDeps,
  source: {
    runId: string
    sandboxId: string
    exit: SandboxExit
    /** Of the parts of the run, behind its log. */
    lastLines: string
  },
): Promise<Collected> {
  const { exit, lastLines } = source
  const tree = exit.tree?.status === 'collected' ? nameArtifacts(exit.tree.files) : []
  const refusal = Array.isArray(tree) ? refusalOf(exit.tree) : tree
  const [output, log, bundle] = await Promise.all([
    collectOutput(deps, source),
    collectLog(deps, source, `${refusal ? refusalLine(refusal) : ''}${lastLines}`),
    collectBundle(deps, source, Array.isArray(tree) ? tree : []),
  ])
  return { output, log, ...bundle, refusal }
}

type Source = Parameters<typeof collectRun>[1]

/** The keys of all objects that a sandbox of a run may have, whether or not they exist. */
export const objectKeys = (source: Pick<Source, 'runId' | 'sandboxId'>): string[] =>
  ['output', 'log', 'artifacts'].map((name) => keyOf(source, name))

/** Removes objects that the run's row will not refer to. Retention removes later what fails here. */
export async function discardCollected(
  storage: Pick<ObjectStorage, 'delete'>,
  source: Pick<Source, 'runId' | 'sandboxId'>,
): Promise<void> {
  await Promise.allSettled(objectKeys(source).map((key) => storage.delete(key)))
}

const keyOf = (source: Pick<Source, 'runId' | 'sandboxId'>, name: string): string =>
  `runs/${source.runId}/${source.sandboxId}/${name}`

async function collectOutput(deps: CollectDeps, source: Source): Promise<CollectedObject | null> {
  const file = source.exit.files[outputName]
  if (file?.status !== 'present') return null
  const key = keyOf(source, 'output')
  const body = await deps.executor.file(source.sandboxId, outputName)
  try {
    const slowed = atHalfSpeed(body, file.byteSize)
    return { key, ...(await deps.storage.put(key, slowed, { maxBytes: outputMaxBytes, isUnread: true })) }
  } finally {
    body.destroy()
  }
}

/** Space for the truncation mark and the line about a refused bundle. */
const logSlackBytes = 4096

async function collectLog(
  deps: CollectDeps,
  source: Source,
  lastLines: string,
): Promise<CollectedObject | null> {
  const { keptBytes } = source.exit.log
  if (keptBytes === 0 && lastLines === '') return null
  const key = keyOf(source, 'log')
  const log = atHalfSpeed(
    openedLate(() => deps.executor.log(source.sandboxId)),
    keptBytes,
  )
  const body = lastLines === '' ? log : Readable.from(followedBy(log, lastLines))
  return {
    key,
    ...(await deps.storage.put(key, body, { maxBytes: logMaxBytes + logSlackBytes, isUnread: true })),
  }
}

async function* followedBy(stream: Readable, line: string): AsyncGenerator<Buffer> {
  for await (const chunk of stream) yield chunk as Buffer
  yield Buffer.from(line, 'utf8')
}

async function collectBundle(
  deps: CollectDeps,
  source: Source,
  files: NamedArtifact[],
): Promise<Pick<Collected, 'bundle' | 'artifacts'>> {
  if (files.length === 0) return { bundle: null, artifacts: [] }
  const key = keyOf(source, 'artifacts')
  const artifacts: CollectedArtifact[] = []
  const byteSize = files.reduce((sum, file) => sum + file.byteSize, 0)
  const tree = atHalfSpeed(
    openedLate(() => deps.executor.tree(source.sandboxId)),
    byteSize,
  )
  const body = Readable.from(measured(tree, files, artifacts))
  const stored = await deps.storage.put(key, body, { maxBytes: bundleMaxBytes(), isUnread: true })
  return { bundle: { key, ...stored }, artifacts }
}

/** Passes the bundle through and records the offset and the digest of each file. */
async function* measured(
  tree: Readable,
  files: NamedArtifact[],
  into: CollectedArtifact[],
): AsyncGenerator<Buffer> {
  let offset = 0
  let filled = 0
  let hash = createHash('sha256')
  const close = () => {
    for (let file = files[into.length]; file && filled === file.byteSize; file = files[into.length]) {
      into.push({ ...file, offset, digest: `sha256:${hash.digest('hex')}` })
      offset += filled
      filled = 0
      hash = createHash('sha256')
    }
  }
  close()
  for await (const chunk of tree) {
    let rest = chunk as Buffer
    while (rest.length > 0) {
      const file = files[into.length]
      if (!file) throw new Error('the bundle is longer than its index')
      const part = rest.subarray(0, file.byteSize - filled)
      hash.update(part)
      filled += part.length
      rest = rest.subarray(part.length)
      close()
    }
    yield chunk as Buffer
  }
  if (into.length < files.length) throw new Error('the bundle is shorter than its index')
}
