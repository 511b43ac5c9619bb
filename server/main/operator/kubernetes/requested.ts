import { type Outcome, RequestRefused } from '../as-root.ts'

/** Work that needs neither root nor the service: only a wrong request is expected to fail it. */
export async function requested<T>(work: () => Promise<T>): Outcome<T> {
  try {
    return { ok: true, value: await work() }
  } catch (error) {
    if (!(error instanceof RequestRefused)) throw error
    return { ok: false, cause: 'request', message: error.message }
  }
}
