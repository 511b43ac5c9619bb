import { pullSource, registryAccess } from '../../../images/registries.ts'
import { BaseFailed } from '../../bases/base-failed.ts'
import { nearBases } from '../../bases/offered-bases.ts'
import { type PulledBase, pullBase } from '../../bases/pull-base.ts'
import { resolveBases } from '../../cache/build-key.ts'
import { storeBuildLog } from '../../logs/build-log.ts'
import type { Build } from '../../request/build.ts'
import type { Step } from '../step.ts'
import type { Validated } from '../validate-context.ts'

/** After this no further pull begins: each may take a quarter of an hour, and a build holds its slot meanwhile. */
const pullingMs = 30 * 60_000

export interface BasesPulled {
  /** The base images that were pulled from registries. */
  pulled: PulledBase[]
}

/**
 * Pulls base images that the operator's store does not have. If a base image is unavailable, the build log
 * says which and why.
 */
export const pullBaseImages: Step<Validated, BasesPulled> = {
  name: 'pull_base_images',
  stage: 'customer_build',
  async run(build, { bases }) {
    try {
      return { pulled: await pullAll(build, bases) }
    } catch (error) {
      if (error instanceof BaseFailed) await storeBuildLog(build, Buffer.from(error.explanation))
      throw error
    }
  },
}

async function pullAll(build: Build, bases: readonly string[]): Promise<PulledBase[]> {
  const { clock, executor, registries } = build.tools
  const lastStartMs = clock.now().getTime() + pullingMs
  const builder = await executor.builder()
  const pulled: PulledBase[] = []
  for (const [at, name] of bases.entries()) {
    if (resolveBases([name], builder)) continue
    const source = pullSource(name, registries)
    // The builder finds an image by its digest, or reports that it is missing.
    if (source === 'not_in_registries' && name.includes('@')) continue
    if (source === 'not_in_registries') throw new BaseFailed(name, 'base_not_made', nearBases(name, builder))
    if (source === 'no_registry') throw new BaseFailed(name, source, nearBases(name, builder))
    if (typeof source === 'string') throw new BaseFailed(name, source)
    if (clock.now().getTime() > lastStartMs) throw new BaseFailed(name, 'base_image_timeout')
    const access = await registryAccess(source, registries).catch(() => {
      throw new BaseFailed(name, 'registry_files_unreadable')
    })
    pulled.push(await pullBase(build, { name, at, source, access }))
  }
  return pulled
}
