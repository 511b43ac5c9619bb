import type { Readable } from 'node:stream'

/** The installed images of a host. Callers may repeat every call. */
export interface ImagePort {
  /** True if the image is installed. */
  hasImage(digest: string): Promise<boolean>
  /**
   * Unpacks an uncompressed layer tar under `digest`, which is verified: the sha256 of the tar or, for a layer above the installed
   * image `lower`, the chain digest of both (`base/chain-digest.ts`). Does nothing if it is installed. Refuses with
   * `image_missing` if `lower` is not.
   */
  installImage(digest: string, tar: Readable, lower?: string): Promise<void>
  /** Refuses with `image_in_use` while a sandbox or an image above it uses it. With the last image above it a lower one goes too. */
  removeImage(digest: string): Promise<void>
}
