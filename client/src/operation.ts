/** An operation as the client sends it. */
export interface Operation {
  method: string
  path: string
  bodyKind?: 'json' | 'octet-stream' | 'multipart' | 'form'
  idempotent?: true
  /** JSON unless it says otherwise. */
  answers?: 'bytes' | 'events'
  /** How a list goes on. */
  pages?: 'token' | 'offset'
}
