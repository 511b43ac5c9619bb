/** An entry of the audit log of operators. */
export interface OperatorActEntry {
  sequence: number
  done_at: string
  /** Of the machine. */
  account: string
  act: string
  /** The object of the act; empty if there is only one. */
  subject: string
  details: Record<string, unknown>
}

export interface OperatorActList {
  /** Newest first. */
  items: OperatorActEntry[]
  /** The entries before this one are the next page; null: there are none. */
  next_before: number | null
  /** Only of the newest page: the first entry of the whole log that was changed, or before which entries are missing. Null: none. */
  broken_at?: number | null
}
