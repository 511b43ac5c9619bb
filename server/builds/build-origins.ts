import { createInterface } from 'node:readline'
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
 * before the first step of the Dockerfile runs, so no tenant has written them. Undefined when they do not say it.
 */
export async function readOrigins(
  log: Readable,
  { bases, prefixes }: { bases: string[]; prefixes: number },
): Promise<BuildOrigins | undefined> {
  const lines = createInterface({ input: log, crlfDelay: Number.POSITIVE_INFINITY })
  const head: string[] = []
  for await (const line of lines) {
    head.push(line)
    if (head.length > bases.length + prefixes) break
  }
  log.destroy()
  const [builder = '', ...rest] = head
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
