import { Readable } from 'node:stream'
import type { PackageMirror } from '../../../agent/port/package-mirror.ts'
import type { PartialBuild } from '../../../reader/dockerfile/remaining-build.ts'
import type { ArchiveEntry } from '../../../reader/formats/archive.ts'
import { fileTimeOf } from '../../../reader/formats/file-time.ts'
import {
  canonicalEntry,
  canonicalTar,
  storedFile,
  textFile,
} from '../../../reader/formats/tar/canonical-tar.ts'
import { unpacked } from '../../images/provenance/verify-image.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import type { PulledBase } from '../bases/pull-base.ts'
import { pulledImageKey } from '../bases/pulled-image-store.ts'
import type { CachedStage } from '../cache/cached-stage.ts'
import { cachedStageKey } from '../cache/cached-stage-store.ts'
import { argumentsOf, mirrorSettings } from '../network/mirror-settings.ts'
import type { Build } from '../request/build.ts'
import { contextSource, formatOf } from '../request/build-request.ts'

/** Text before the builder's output: the `log` of stages that were built separately, then `notes`. */
export interface EarlierOutput {
  log: Buffer
  notes: string
}

/** Images that a build uses in addition to its context. */
interface BuildSources {
  bases: string[]
  pulled: PulledBase[]
  cachedStages: CachedStage[]
  /** That the steps may use. */
  mirrors: PackageMirror[]
}

const noEarlierOutput: EarlierOutput = { log: Buffer.alloc(0), notes: '' }

/** As at a run: it counts where neither the image nor the author sets one, and is part of no image. */
const language = 'LANG=C.UTF-8'

/** The part of a build that remains after its cached stages, up to `until`. */
export const partialBuild = (
  { cachedStages, mirrors }: Pick<BuildSources, 'cachedStages' | 'mirrors'>,
  until?: PartialBuild['until'],
): PartialBuild => ({
  done: cachedStages.map(({ stage, count }) => ({ stage, count })),
  ...(until && { until }),
  stageArguments: [language, ...argumentsOf(mirrorSettings(mirrors))],
})

/** The input of a build sandbox as one tar: cached stages, pulled base images, the context and the Dockerfile. */
export function builderInput(
  { request, tools }: Pick<Build, 'request' | 'tools'>,
  sources: BuildSources,
  { until, earlier = noEarlierOutput }: { until?: PartialBuild['until']; earlier?: EarlierOutput },
): Readable {
  const { readers, storage } = tools
  const source = contextSource(request, storage)
  const modifiedAt = fileTimeOf(request.context?.uploadedAt ?? request.startedAt)
  const context = readers.contextTar(source, formatOf(request), {
    partial: partialBuild(sources, until),
    modifiedAt,
  })
  const based = withBases(withMirrors(context, sources.mirrors), { ...sources, storage })
  return withCachedStages(based, { ...sources, earlier, storage })
}

/** Prepends the files of the mirrors' settings, in `mirrors`. */
function withMirrors(input: Readable, mirrors: PackageMirror[]): Readable {
  if (mirrors.length === 0) return input
  async function* entries() {
    for (const [path, content] of Object.entries(mirrorSettings(mirrors).files)) {
      yield* canonicalEntry(textFile(`mirrors/${path}`, content))
    }
    for await (const bytes of input) yield bytes as Buffer
  }
  return Readable.from(entries(), { objectMode: false })
}

/** The input of a sandbox that exports a base image. */
export const baseLayerInput = (
  { storage }: Pick<Build['tools'], 'storage'>,
  { bases, pulled }: Pick<BuildSources, 'bases' | 'pulled'>,
): Readable => {
  const complete: ArchiveEntry = { path: 'complete', kind: 'directory', mode: 0o755, byteSize: 0 }
  return withBases(Readable.from(canonicalTar(Readable.from([complete]))), { bases, pulled, storage })
}

/**
 * Prepends the pulled base images: `bases/N/image.tar`, and `bases/N/index` if the name resolved to an index, for base
 * image N of the Dockerfile, from 0.
 */
function withBases(
  context: Readable,
  { bases, pulled, storage }: { bases: string[]; pulled: PulledBase[]; storage: ObjectStorage },
): Readable {
  async function* entries() {
    for (const { name, image, index } of pulled) {
      const folder = `bases/${bases.indexOf(name)}`
      const open = () => storage.get(pulledImageKey(image))
      yield* canonicalEntry(storedFile(`${folder}/image.tar`, image.byteSize, open))
      if (index) yield* canonicalEntry(textFile(`${folder}/index`, index.document))
    }
    for await (const bytes of context) yield bytes as Buffer
  }
  return Readable.from(entries(), { objectMode: false })
}

/**
 * Prepends the cached stages: `prefixes/N/image.tar` for stage N, from 0, and the text to print first in `prefixes/log`
 * and `prefixes/notes`.
 */
function withCachedStages(
  input: Readable,
  parts: { cachedStages: CachedStage[]; earlier: EarlierOutput; storage: ObjectStorage },
): Readable {
  const { cachedStages, earlier, storage } = parts
  const { log, notes } = earlier
  if (cachedStages.length === 0 && log.length === 0) return input
  async function* entries() {
    for (const stage of cachedStages) {
      const open = async () => unpacked(await storage.get(cachedStageKey(stage)))
      yield* canonicalEntry(storedFile(`prefixes/${stage.stage}/image.tar`, stage.tarBytes, open))
    }
    yield* canonicalEntry(textFile('prefixes/log', log))
    yield* canonicalEntry(textFile('prefixes/notes', notes))
    for await (const bytes of input) yield bytes as Buffer
  }
  return Readable.from(entries(), { objectMode: false })
}
