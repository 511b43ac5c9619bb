import { CodedError } from '../../base/errors/coded-error.ts'

/** Maximum concurrent downloads by public links. The reader is anonymous, so the limits apply to the company and the link. */
export const downloadsMax = 256
export const downloadsOfCompanyMax = 64
export const downloadsOfLinkMax = 32
const retryAfterSeconds = 5

/** The link of a download and its company. */
export interface Downloader {
  linkId: string
  companyId: string
}

/** Slots for downloads. No link and no company can take all of them. */
export class DownloadSlots {
  readonly #held = new Map<string, number>()
  #inAll = 0

  /** Takes a slot and returns its release function. Throws 503 `downloads_busy`. */
  take({ linkId, companyId }: Downloader): () => void {
    const isFull =
      this.#inAll >= downloadsMax ||
      this.#of(companyId) >= downloadsOfCompanyMax ||
      this.#of(linkId) >= downloadsOfLinkMax
    if (isFull) throw new CodedError('downloads_busy', { retry_after_seconds: retryAfterSeconds })
    this.#change([linkId, companyId], 1)
    let isHeld = true
    return () => {
      if (isHeld) this.#change([linkId, companyId], -1)
      isHeld = false
    }
  }

  #of(holder: string): number {
    return this.#held.get(holder) ?? 0
  }

  #change(holders: readonly string[], by: 1 | -1): void {
    this.#inAll += by
    for (const holder of holders) {
      const held = this.#of(holder) + by
      if (held === 0) this.#held.delete(holder)
      else this.#held.set(holder, held)
    }
  }
}
