/** An image that no company may start runs on. */
interface BlockedImage {
  digest: string
  reason: string
  blocked_at: string
}

export interface OperatedImages {
  /** Newest first. */
  blocked: BlockedImage[]
}
