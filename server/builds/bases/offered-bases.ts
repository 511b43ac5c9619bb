import { nearNames } from '@sandbox-jobs/contract/near-names.ts'
import { type Builder, dockerfileName, type StoredBase } from '../../../agent/port/platform.ts'

/** The operator's base images, each once by the name that a Dockerfile uses, in the order of their names. */
export function offeredBases({ baseImages }: Pick<Builder, 'baseImages'>): StoredBase[] {
  const byName = new Map(baseImages.map((image) => [dockerfileName(image), image]))
  return [...byName]
    .map(([name, image]) => ({ ...image, name }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

const shownBases = 10

/** The base images whose names are near, or else the first ones, as a sentence. */
export function nearBases(name: string, builder: Pick<Builder, 'baseImages'>): string {
  const names = offeredBases(builder).map((base) => base.name)
  if (names.length === 0) return 'The operator has made no base image.'
  // No name this long is near, and comparing takes time.
  const near = name.length > 200 ? [] : nearNames(name, names)
  const shown = near.length > 0 ? near : names.slice(0, shownBases)
  const others = shown.length < names.length ? ' and others: `sandbox bases` lists them' : ''
  return `This deployment has ${shown.join(', ')}${others}.`
}
