import { ExecutorRefused } from '../../agent/port/errors.ts'
import type { ImagePort } from '../../agent/port/images.ts'
import type { SandboxRootfs } from '../../agent/port/sandbox-spec.ts'

/** The images that nodes can pull: each is an image of the service under the platform's own layer, by its digest in a registry. */
export class ClusterImages {
  readonly #referenceOf: (digest: string) => Promise<string | undefined>

  /** `referenceOf` gives `REGISTRY/NAME@sha256:DIGEST` of an image that was pushed and read back. */
  constructor(referenceOf: (digest: string) => Promise<string | undefined>) {
    this.#referenceOf = referenceOf
  }

  /** Undefined for what the registry does not have. */
  async find(rootfs: SandboxRootfs): Promise<string | undefined> {
    return rootfs.kind === 'image' ? this.#referenceOf(rootfs.digest) : undefined
  }

  async has(digest: string): Promise<boolean> {
    return (await this.#referenceOf(digest)) !== undefined
  }

  /** Pushing needs every layer at once, and is the operator's: `sandbox operator kubernetes push`. */
  async install(...[digest]: Parameters<ImagePort['installImage']>): Promise<void> {
    if (await this.has(digest)) return
    throw new ExecutorRefused('image_missing', `push ${digest} to the registry first`)
  }

  async remove(_digest: string): Promise<void> {}
}
