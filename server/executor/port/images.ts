import type { Readable } from 'node:stream'

/** The installed images of a host. Callers may repeat every call. */
export interface ImagePort {
  /** True if the image is installed. */
  hasImage(digest: string): Promise<boolean>
  /** Unpacks a flat, uncompressed layer tar under `digest`, the sha256 of the tar, which is verified. Does nothing if it is installed. */
  installImage(digest: string, tar: Readable): Promise<void>
  removeImage(digest: string): Promise<void>
}
