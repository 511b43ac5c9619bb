import { once } from 'node:events'
import { isIP } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { dayMs } from '../../base/clock.ts'

/** A certificate ends soon in the last tenth of its life, and in its last 14 days at the earliest. Automatic renewals come before. */
const lastPart = 0.1
const lastDays = 14
const timeoutMs = 5000

/** The certificate of an address as its clients find it. Dates are days, in UTC. */
export type CertificateState =
  | { state: 'good'; until: string }
  | { state: 'ends_soon'; until: string }
  | { state: 'ended'; until: string }
  /** Clients that do not know its authority refuse it, or it names another host: a code of Node. */
  | { state: 'refused'; until: string; reason: string }
  | { state: 'unreachable'; reason: string }

/** Looks at the certificate that is shown at an address with `https:`. */
export async function certificateAt(address: string, nowMs: number): Promise<CertificateState> {
  const { hostname, port } = new URL(address)
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket = connect({
    host,
    port: Number(port || 443),
    // A faulty certificate is looked at too.
    rejectUnauthorized: false,
    ...(isIP(host) === 0 && { servername: host }),
  })
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(timeoutMs) })
    return stateOf(socket, nowMs)
  } catch (error) {
    return { state: 'unreachable', reason: reasonOf(error) }
  } finally {
    socket.destroy()
  }
}

function stateOf(socket: TLSSocket, nowMs: number): CertificateState {
  const { valid_from, valid_to } = socket.getPeerCertificate()
  const [fromMs, toMs] = [Date.parse(valid_from), Date.parse(valid_to)]
  const until = new Date(toMs).toISOString().slice(0, 10)
  if (toMs <= nowMs) return { state: 'ended', until }
  if (!socket.authorized) return { state: 'refused', until, reason: String(socket.authorizationError) }
  const soonMs = Math.min((toMs - fromMs) * lastPart, lastDays * dayMs)
  return { state: toMs - nowMs < soonMs ? 'ends_soon' : 'good', until }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'AbortError') return `no answer in ${timeoutMs / 1000} s`
  return 'code' in error ? String(error.code) : error.message
}
