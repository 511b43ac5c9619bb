/** One coded error of the wire contract: `{ detail: { code, message, ... } }` under `status`. */
export interface CatalogueEntry {
  status: 400 | 403 | 404 | 405 | 409 | 413 | 418 | 422 | 429 | 500 | 503
  /** What happened, for the caller. */
  message: string
  /** What the caller can do about it. */
  advice: string
}

const entry = (status: CatalogueEntry['status'], message: string, advice: string): CatalogueEntry => ({
  status,
  message,
  advice,
})

/** Every coded error (contract part 2, "Errors"). */
export const catalogue = {
  not_found: entry(404, 'Not found.', 'Check the id, your company, your role and your key scope.'),
} satisfies Record<string, CatalogueEntry>

export type ErrorCode = keyof typeof catalogue
