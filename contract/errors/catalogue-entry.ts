/** One coded error of the wire contract: `{ detail: { code, message, ... } }` under `status`. */
export interface CatalogueEntry {
  status: 400 | 403 | 404 | 405 | 409 | 413 | 416 | 418 | 422 | 429 | 500 | 503
  /** The error, in a sentence for the caller. */
  message: string
  /** Advice to the caller. */
  advice: string
}

export const entry = (status: CatalogueEntry['status'], message: string, advice: string): CatalogueEntry => ({
  status,
  message,
  advice,
})

/** Advice shared by several errors. */
export const reread = 'Read the resource again, then decide.'
export const later = 'Wait and try again; the same Idempotency-Key is safe to repeat.'
