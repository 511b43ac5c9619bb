import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sha256Of } from '../../server/base/sha256.ts'
import { madeBase, readCatalogue } from '../host/base-catalogue.ts'
import type { AgentPaths } from '../host/paths.ts'
import { ExecutorRefused } from '../port/errors.ts'
import { type Builder, dockerfileName } from '../port/platform.ts'

/** An entry of the image store's index, which buildah writes when the operator adds a base image. */
interface StoredImage {
  names?: string[]
  digest: string
}

/**
 * The builder that build sandboxes use now. Only the operator writes these files: sandboxes see the builder and the base images
 * read-only.
 */
export async function builderIn({
  builderRootfs,
  baseImages,
}: Pick<AgentPaths, 'builderRootfs' | 'baseImages'>): Promise<Builder> {
  const packages = await readFile(join(builderRootfs, 'var/lib/dpkg/status')).catch(() => {
    throw new ExecutorRefused('builder_missing', 'run quickstart or the builder installation')
  })
  const images = await readFile(join(baseImages, 'overlay-images/images.json'), 'utf8').catch(() => '[]')
  const catalogue = await readCatalogue(baseImages)
  return {
    toolchainDigest: sha256Of(packages),
    baseImages: (JSON.parse(images) as StoredImage[]).flatMap(({ names = [], digest }) =>
      names.map((name) => {
        const entry = catalogue.find((one) => one.name === dockerfileName({ name }))
        return { name, digest, ...(entry && { made: madeBase(entry) }) }
      }),
    ),
  }
}
