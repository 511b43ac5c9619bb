/** Options that every call takes. */
export interface CallOptions {
  /** Further request headers. */
  headers?: Record<string, string>
  /** Ends the call, and the waits between its repeats. */
  signal?: AbortSignal
}
