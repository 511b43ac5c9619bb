import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentPaths } from '../host/paths.ts'
import { ExecutorRefused } from '../port/errors.ts'

/*
 * Images on disk: `images/<hex of the digest>/tree`, and `lower`, the digest of the image below, if the image is a layer above
 * another one. Whiteouts in a tree hide files of the trees below it. Only root writes the file, and no tenant names a path here.
 *
 * The calls are synchronous: nothing else may run between a check and the step that relies on it.
 */

type Paths = Pick<AgentPaths, 'images'>

/** The shim mounts at most four trees, and the first is that of the platform. */
const maxLayers = 3

export const imageFolder = ({ images }: Paths, digest: string): string =>
  join(images, digest.slice('sha256:'.length))

export const treeOf = (paths: Paths, digest: string): string => join(imageFolder(paths, digest), 'tree')

/** The digest of the image below; undefined if it is a whole image. */
export function lowerOf(paths: Paths, digest: string): string | undefined {
  const path = join(imageFolder(paths, digest), 'lower')
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

export const writeLower = (folder: string, lower: string): Promise<void> =>
  writeFile(join(folder, 'lower'), lower, { flag: 'wx', mode: 0o600 })

/** The trees of an image, the top one first. Refuses with `image_missing`. */
export function treesOf(paths: Paths, digest: string): string[] {
  const trees: string[] = []
  for (let at: string | undefined = digest; at !== undefined; at = lowerOf(paths, at)) {
    const tree = treeOf(paths, at)
    if (!existsSync(tree)) {
      throw new ExecutorRefused('image_missing', `${tree} is missing: install it first`)
    }
    trees.push(tree)
    if (trees.length > maxLayers) throw new ExecutorRefused('image_invalid', 'the image has too many layers')
  }
  return trees
}

/** Refuses an image that is not installed, or has as many layers as an image may have. */
export function requireLower(paths: Paths, digest: string): void {
  if (treesOf(paths, digest).length >= maxLayers) {
    throw new ExecutorRefused('image_invalid', 'the image has too many layers')
  }
}
