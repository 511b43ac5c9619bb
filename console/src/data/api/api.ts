import { createClient } from '@sandbox-jobs/contract/client/client.ts'
import { type RequestParts, type RequestRoute, urlOf } from '@sandbox-jobs/contract/client/request.ts'
import { Connection } from './connection.ts'

/** The shell of this page is the cheapest answer of the service. */
export const connection = new Connection(() =>
  fetch(location.pathname, { method: 'HEAD', cache: 'no-store' }),
)

/** Says to the server that a page of its own sent the request. No page of another origin can send this header. */
export const consoleHeader = { 'X-Sandbox-Console': '1' }

/** `fetch` as a page of the service. */
export const sendFromPage: typeof fetch = async (input, init) => {
  const headers = new Headers(init?.headers)
  for (const [name, value] of Object.entries(consoleHeader)) headers.set(name, value)
  try {
    const response = await fetch(input, { ...init, headers, credentials: 'same-origin' })
    connection.answered()
    return response
  } catch (error) {
    if (!init?.signal?.aborted) connection.failed()
    throw error
  }
}

/** Calls routes of the contract as the person who is signed in. */
export const api = createClient({ baseUrl: location.origin, fetch: sendFromPage })

/** The address of a route on this service, for streams and downloads. */
export const addressOf = (route: RequestRoute, parts: RequestParts): string =>
  urlOf(location.origin, route, parts)
