import type { IncomingHttpHeaders } from 'node:http'
import { isOfConsole } from '../../access/authentication/browser-sign-in.ts'
import { tokenCookie } from '../../access/authentication/token-cookie.ts'
import { isLoopbackAddress } from '../../base/addresses/secure-address.ts'
import { operatorSignInMaxSeconds } from '../../operations/operator-sign-ins/operator-sign-ins.ts'

/*
 * Proof that a page of the operator console made a request. The cookie has the name of no other service, but browsers send it to every
 * port of the host: it counts only with the headers that no page of another origin can send.
 */

export const operatorCookie = tokenCookie('__Host-sandbox-operator', operatorSignInMaxSeconds)

/**
 * The origin that the browser has in its address bar: a loopback name with any port, which is another one through `ssh -L`. Undefined
 * for any other name, as a page has that made its own name resolve to this machine.
 */
export function originOfRequest({ host }: IncomingHttpHeaders): string | undefined {
  const url = URL.parse(`http://${host ?? ''}/`)
  return url && url.host === host && isLoopbackAddress(url) ? url.origin : undefined
}

export function isOfOperatorConsole(request: { method: string; headers: IncomingHttpHeaders }): boolean {
  const origin = originOfRequest(request.headers)
  return origin !== undefined && isOfConsole(request, origin)
}
