/** Body of a raw upload. A stream cannot be sent again, so a call with one is not repeated. */
export type UploadBody = Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array>

/** Options that every call takes. */
export interface CallOptions {
  /** Further request headers. */
  headers?: Record<string, string>
  /** Ends the call, and the waits between its repeats. */
  signal?: AbortSignal
}
