import type { Readable } from 'node:stream'
import type { NamedDigest } from './provenance/statement.ts'

export interface BuildOrigins {
  builderVersion: string
  baseImages: NamedDigest[]
  /** Where prefixes of stages are taken: the digest of each one's manifest, by the number of its stage from 0. */
  prefixes: Map<number, string>
}

const builderLine = /^buildah version (\d[\w.+~-]{0,40}) /
const baseLine = /^base (sha256:[0-9a-f]{64}) (.+)$/
const prefixLine = /^prefix (sha256:[0-9a-f]{64}) (\d+)$/

/**
 * What builds, and the base images and prefixes as they are, from the first lines of a build's log: the script says it
 * before the first step of the Dockerfile runs, so no tenant has written them. Undefined when they do not say it. `behind`
 * are the bytes before them: what the script was given to print first.
 */
export async function readOrigins(
  log: Readable,
  { bases, prefixes, behind = 0 }: { bases: string[]; prefixes: number; behind?: number },
): Promise<BuildOrigins | undefined> {
  const count = 1 + bases.length + prefixes
  const [builder = '', ...rest] = await linesOf(log, { behind, count })
  const builderVersion = builderLine.exec(builder)?.[1]
  const baseImages = bases.flatMap((name, at) => {
    const [, digest, named] = baseLine.exec(rest[at] ?? '') ?? []
    return digest !== undefined && named === name ? [{ name, digest }] : []
  })
  const taken = rest.slice(bases.length).map((line) => prefixLine.exec(line))
  const isWhole = baseImages.length === bases.length && taken.length === prefixes
  if (builderVersion === undefined || !isWhole || taken.includes(null)) return undefined
  const found = taken.flatMap((told) => (told ? [[Number(told[2]), told[1] ?? ''] as const] : []))
  return { builderVersion, baseImages, prefixes: new Map(found) }
}

/** So long can the lines of a build with the most base images and stages be. */
const maxHeadBytes = 256 * 1024

/** The first `count` lines behind so many bytes, or those that there are. Ends the stream. */
async function linesOf(
  log: Readable,
  { behind, count }: { behind: number; count: number },
): Promise<string[]> {
  let left = behind
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
