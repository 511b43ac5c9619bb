import type { Readable } from 'node:stream'
import { withBases } from './bases/deliver-bases.ts'
import type { PartialBuild } from './dockerfile/remaining-build.ts'
import { type Beginning, withPrefixes } from './prefixes/deliver-prefixes.ts'
import type { TakenPrefix } from './prefixes/kept-prefix.ts'
import { contextSource, formatOf } from './steps/context-validator.ts'
import { type Build, found } from './steps/step.ts'

/** Where a build begins behind what it takes, and where it ends. */
export const partialBuild = (prefixes: TakenPrefix[], until?: PartialBuild['until']): PartialBuild => ({
  done: prefixes.map(({ stage, count }) => ({ stage, count })),
  ...(until && { until }),
})

/** All that a build sandbox takes, as one tar: prefixes, pulled base images, the context and the Dockerfile. */
export function builderInput(
  build: Build,
  {
    prefixes,
    until,
    beginning,
  }: { prefixes: TakenPrefix[]; until?: PartialBuild['until']; beginning: Beginning },
): Readable {
  const { order, tools } = build
  const { readers, storage } = tools
  const partial = partialBuild(prefixes, until)
  const context = readers.contextTar(contextSource(order, tools), formatOf(order), partial)
  const bases = found(build, 'bases')
  const pulled = found(build, 'pulled')
  return withPrefixes(withBases(context, { bases, pulled, storage }), { prefixes, beginning, storage })
}
