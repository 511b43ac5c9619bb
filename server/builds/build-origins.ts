import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { NamedDigest } from './provenance/statement.ts'

export interface BuildOrigins {
  builderVersion: string
  baseImages: NamedDigest[]
}

const builderLine = /^buildah version (\d[\w.+~-]{0,40}) /
const baseLine = /^base (sha256:[0-9a-f]{64}) (.+)$/

/**
 * What builds, and the base images as they are, from the first lines of a build's log: the script says it before the
 * first step of the Dockerfile runs, so no tenant has written them. Undefined when they do not say it.
 */
export async function readOrigins(log: Readable, bases: string[]): Promise<BuildOrigins | undefined> {
  const lines = createInterface({ input: log, crlfDelay: Number.POSITIVE_INFINITY })
  const head: string[] = []
  for await (const line of lines) {
    head.push(line)
    if (head.length > bases.length) break
  }
  log.destroy()
  const [builder = '', ...rest] = head
  const builderVersion = builderLine.exec(builder)?.[1]
  const baseImages = bases.flatMap((name, at) => {
    const [, digest, named] = baseLine.exec(rest[at] ?? '') ?? []
    return digest !== undefined && named === name ? [{ name, digest }] : []
  })
  if (builderVersion === undefined || baseImages.length !== bases.length) return undefined
  return { builderVersion, baseImages }
}
