import { CodedError } from '../../base/errors/coded-error.ts'
import { SharedSlots } from '../../fairness/shared-slots.ts'

/** Maximum concurrent downloads. A reader by a public link is anonymous, so the limits apply to the company and the link. */
export const downloadsMax = 256
export const downloadsOfCompanyMax = 64
export const downloadsOfLinkMax = 32
/** Downloads of one company even when others have taken all. */
const downloadsAssured = 8
const retryAfterSeconds = 5

/** The link of a download, or the person or key that reads without one, and its company. */
export interface Downloader {
  linkId: string
  companyId: string
}

/** Slots for downloads. No link and no company can take all of them. */
export class DownloadSlots {
  readonly #companies = new SharedSlots({
    all: downloadsMax,
    each: downloadsOfCompanyMax,
    assuredEach: downloadsAssured,
  })
  readonly #links = new SharedSlots({
    all: Number.POSITIVE_INFINITY,
    each: downloadsOfLinkMax,
    assuredEach: 0,
  })

  /** Takes a slot and returns its release function. Throws 503 `downloads_busy`. */
  take({ linkId, companyId }: Downloader): () => void {
    const releaseLink = this.#links.take(linkId)
    const releaseCompany = releaseLink && this.#companies.take(companyId)
    if (!releaseCompany) {
      releaseLink?.()
      throw downloadsBusy()
    }
    return () => {
      releaseLink()
      releaseCompany()
    }
  }
}

export const downloadsBusy = (): CodedError =>
  new CodedError('downloads_busy', { retry_after_seconds: retryAfterSeconds })
