import { type RequestRoute, urlOf } from '@sandbox-jobs/contract/client/request.ts'
import type { Step } from '../first-hour/step.ts'
import type { Tenant } from '../main-job/tenant.ts'
import { type Answer, type Sent, send, type Target } from './https-request.ts'
import type { StartedProxy } from './proxy.ts'

/** A service behind a proxy. */
export interface Ground {
  service: {
    user: string
    password: string
    restart(): Promise<{ stoppedAfterMs: number }>
    requestLine: RequestLine
    /** The output of a `sandbox` command on the machine of the service, errors included, whatever its end. */
    command(argv: string[], settings: Record<string, string>): Promise<string>
  }
  /** Without the proxy. */
  tenant: Tenant
  direct: Target
  proxied: Target
  /** A request that comes while the service restarts may fail after so many seconds. */
  restartFailsAfterSeconds: number
  /** Whether it may close the connection of a client that still sends an upload which the service has refused. */
  closesRefusedUploads: boolean
  /** A second proxy in front of the same service, with a certificate that is good for so many days. */
  startOther: (days: number) => Promise<StartedProxy & { port: number }>
}

/** The line of the log of requests with that id. */
type RequestLine = (id: string) => Promise<{ from: string; status: number }>

export const mib = 1024 ** 2

export const authorized = ({ tenant }: Ground, sent: Sent): Sent => ({
  ...sent,
  headers: { authorization: `Bearer ${tenant.token}`, ...sent.headers },
})

/** Reads a path through the proxy. */
export const get = (ground: Ground, path: string, headers = {}): Promise<Answer> =>
  send(ground.proxied, authorized(ground, { path, headers }))

export const step = (person: Step['person'], does: string, run: () => Promise<unknown>): Step => ({
  person,
  does,
  run: async () => void (await run()),
})

export const pathOf = (route: RequestRoute, params: Record<string, string>): string =>
  urlOf('', route, { params })

export function requireStatus({ status, body }: Answer, expected: number): void {
  if (status !== expected) throw new Error(`the status is ${status}, not ${expected}:\n${body.slice(0, 500)}`)
}
