import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentPaths } from '../host/paths.ts'

/**
 * How many installed images lie directly above each image. It is kept in memory, because a machine may have thousands of images, and
 * a removal must not read all of their folders.
 */
export class LowerImages {
  readonly #counts = new Map<string, number>()

  /** Counts the images on disk. Call once, before any change. An image whose file cannot be read cannot be started either. */
  async recover({ images }: Pick<AgentPaths, 'images'>): Promise<void> {
    for (const name of await readdir(images)) {
      const lower = await readFile(join(images, name, 'lower'), 'utf8').catch(() => undefined)
      if (lower !== undefined) this.add(lower)
    }
  }

  /** Call when an image above `digest` has its final name. */
  add(digest: string): void {
    this.#counts.set(digest, this.#count(digest) + 1)
  }

  /** Call when an image above `digest` has lost its name. */
  remove(digest: string): void {
    const rest = this.#count(digest) - 1
    if (rest > 0) this.#counts.set(digest, rest)
    else this.#counts.delete(digest)
  }

  has(digest: string): boolean {
    return this.#counts.has(digest)
  }

  #count(digest: string): number {
    return this.#counts.get(digest) ?? 0
  }
}
