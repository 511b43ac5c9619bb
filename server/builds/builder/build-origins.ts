import type { Readable } from 'node:stream'
import type { NamedDigest } from '../../images/provenance/statement.ts'

export interface BuildOrigins {
  builderVersion: string
  baseImages: NamedDigest[]
  /** For stages that start from cached layers: the digest of the manifest, by the stage's index from 0. */
  stages: Map<number, string>
}

const builderLine = /^buildah version (\d[\w.+~-]{0,40})$/
const baseLine = /^base (sha256:[0-9a-f]{64}) (.+)$/
/** The script's line for a cached stage. The format is fixed, since a build may outlive the release that started it. */
const stageLine = /^prefix (sha256:[0-9a-f]{64}) (\d+)$/

/**
 * Reads the builder's version and the digests of base images and cached stages from the first lines of a build's log. The
 * script prints them before the first step of the Dockerfile runs, so no tenant can have written them. Returns undefined when
 * they are incomplete. `skippedBytes` is the number of bytes before them: the earlier log that the script prints first.
 */
export async function readOrigins(
  log: Readable,
  { bases, stages, skippedBytes = 0 }: { bases: string[]; stages: number; skippedBytes?: number },
): Promise<BuildOrigins | undefined> {
  const count = 1 + bases.length + stages
  const [builder = '', ...rest] = await linesOf(log, { skippedBytes, count })
  const builderVersion = builderLine.exec(builder)?.[1]
  const baseImages = bases.flatMap((name, at) => {
    const [, digest, named] = baseLine.exec(rest[at] ?? '') ?? []
    return digest !== undefined && named === name ? [{ name, digest }] : []
  })
  const stageLines = rest.slice(bases.length).map((line) => stageLine.exec(line))
  const isWhole = baseImages.length === bases.length && stageLines.length === stages
  if (builderVersion === undefined || !isWhole || stageLines.includes(null)) return undefined
  const digests = stageLines.flatMap((line) => (line ? [[Number(line[2]), line[1] ?? ''] as const] : []))
  return { builderVersion, baseImages, stages: new Map(digests) }
}

/** Upper bound for these lines with the maximum number of base images and stages. */
const maxHeadBytes = 256 * 1024

/** Reads up to `count` lines after the skipped bytes. Ends the stream. */
async function linesOf(
  log: Readable,
  { skippedBytes, count }: { skippedBytes: number; count: number },
): Promise<string[]> {
  let left = skippedBytes
  let head = Buffer.alloc(0)
  let lines: string[] = []
  for await (const chunk of log) {
    const bytes = (chunk as Buffer).subarray(left)
    left = Math.max(0, left - (chunk as Buffer).length)
    head = Buffer.concat([head, bytes])
    lines = head.toString('utf8').split('\n')
    if (lines.length > count || head.length > maxHeadBytes) break
  }
  return lines.slice(0, count)
}
