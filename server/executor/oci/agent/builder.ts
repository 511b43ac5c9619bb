import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sha256Of } from '../../../base/sha256.ts'
import { type Builder, ExecutorRefused } from '../../port.ts'
import type { AgentPaths } from '../paths.ts'

/** What the store of images keeps of each; buildah writes it when the operator adds a base image. */
interface StoredImage {
  names?: string[]
  digest: string
}

/**
 * What build sandboxes stand on at this moment. Both files are the operator's: sandboxes see the builder and the base
 * images read-only.
 */
export async function builderIn({
  builderRootfs,
  baseImages,
}: Pick<AgentPaths, 'builderRootfs' | 'baseImages'>): Promise<Builder> {
  const packages = await readFile(join(builderRootfs, 'var/lib/dpkg/status')).catch(() => {
    throw new ExecutorRefused('builder_missing', 'run quickstart or the builder installation')
  })
  const images = await readFile(join(baseImages, 'overlay-images/images.json'), 'utf8').catch(() => '[]')
  return {
    toolchainDigest: sha256Of(packages),
    baseImages: (JSON.parse(images) as StoredImage[]).flatMap(({ names = [], digest }) =>
      names.map((name) => ({ name, digest })),
    ),
  }
}
