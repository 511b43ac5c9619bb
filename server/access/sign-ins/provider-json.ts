import { bytesWithin } from '../../base/bytes-within.ts'
import { ProviderFailure } from './provider-failure.ts'

const bodyMaxBytes = 256 * 1024

/** A request to the provider. */
export interface Asked {
  method?: 'POST'
  headers?: Record<string, string>
  body?: URLSearchParams
}

/** The status and the JSON object of an answer of the identity provider, which has a time and a size for it. */
export async function askProvider(
  address: string,
  asked: Asked,
  signal: AbortSignal,
): Promise<{ status: number; body: Record<string, unknown> }> {
  try {
    const response = await fetch(address, {
      ...asked,
      headers: { accept: 'application/json', ...asked.headers },
      // An answer comes from the address that the operator or the provider named, or from none.
      redirect: 'error',
      signal,
    })
    const body: unknown = JSON.parse(await textOf(response))
    if (typeof body !== 'object' || body === null || Array.isArray(body)) throw unreadable()
    return { status: response.status, body: body as Record<string, unknown> }
  } catch (error) {
    if (error instanceof ProviderFailure) throw error
    if (error instanceof SyntaxError) throw unreadable()
    const isLate = error instanceof DOMException && error.name === 'TimeoutError'
    throw new ProviderFailure('unreachable', isLate ? 'no_answer' : 'no_connection')
  }
}

const unreadable = () => new ProviderFailure('unreachable', 'no_json')

async function textOf({ body }: Response): Promise<string> {
  const bytes = body ? await bytesWithin(body, bodyMaxBytes) : Buffer.alloc(0)
  if (!bytes) throw new ProviderFailure('unreachable', 'too_large')
  return bytes.toString()
}
