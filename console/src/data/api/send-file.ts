import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import { connection, consoleHeader } from './api.ts'

export interface FileRequest {
  method: string
  address: string
  headers?: Record<string, string>
  file: Blob
  /** From 0 to 1. */
  onProgress: (share: number) => void
  signal: AbortSignal
}

/** Sends the bytes of a file and reads the JSON of the answer. XMLHttpRequest, because `fetch` does not tell how far an upload is. */
export function sendFile<T>({ method, address, headers, file, onProgress, signal }: FileRequest): Promise<T> {
  const request = new XMLHttpRequest()
  request.open(method, address)
  const sent = { 'content-type': 'application/octet-stream', ...consoleHeader, ...headers }
  for (const [name, value] of Object.entries(sent)) request.setRequestHeader(name, value)
  request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total)
  return new Promise((resolve, reject) => {
    request.onload = () => {
      connection.answered()
      if (request.status === 200 || request.status === 201) resolve(JSON.parse(request.responseText) as T)
      else reject(errorOf(request))
    }
    request.onerror = () => {
      connection.failed()
      reject(new TypeError('no answer'))
    }
    request.onabort = () => reject(signal.reason)
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(file)
  })
}

function errorOf(request: XMLHttpRequest): ApiError {
  let detail: unknown = request.responseText.slice(0, 500)
  try {
    detail = (JSON.parse(request.responseText) as { detail?: unknown }).detail
  } catch {
    // A proxy may answer with a page.
  }
  return new ApiError({
    status: request.status,
    detail,
    retryAfter: request.getResponseHeader('retry-after'),
    requestId: request.getResponseHeader('x-request-id'),
  })
}
