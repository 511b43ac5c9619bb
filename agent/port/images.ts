import type { Readable } from 'node:stream'

/** The images that an executor can start. Callers may repeat every call. */
export interface ImagePort {
  /** True if the image is installed. */
  hasImage(digest: string): Promise<boolean>
  /**
   * Installs a layer under `digest`, which is verified: the sha256 of its tar or, for a layer above the installed image `lower`,
   * the chain digest of both (`base/chain-digest.ts`). Does nothing if it is installed. Refuses with `image_missing` if `lower`
   * is not.
   */
  installImage(digest: string, layer: ImageLayer, lower?: string): Promise<void>
  /** Refuses with `image_in_use` while a sandbox or an image above it uses it. With the last image above it a lower one goes too. */
  removeImage(digest: string): Promise<void>
}

/** A layer in two forms. A call opens at most one of them, once: a host unpacks the tar, a registry keeps the stored bytes. */
export interface ImageLayer {
  /** Opens the uncompressed tar. */
  openTar(): Promise<Readable>
  /** Opens the bytes of `stored`. */
  openStored(): Promise<Readable>
  stored: {
    /** Of the OCI image format. */
    mediaType: string
    digest: string
    byteSize: number
  }
}
