import type { IncomingHttpHeaders } from 'node:http'

/** A cookie that has nothing but a token. */
interface TokenCookie {
  /** The value of `Set-Cookie` that signs a browser in. */
  signIn(token: string): string
  /** The same that signs it out. */
  signOut: string
  /** The token that a request has in it. */
  tokenOf(headers: Pick<IncomingHttpHeaders, 'cookie'>): string | undefined
}

const attributes = 'Path=/; Secure; HttpOnly; SameSite=Strict'

/**
 * The prefix `__Host-` has browsers refuse the cookie from neighbours of the host and over HTTP that is not of their own machine.
 */
export function tokenCookie(name: `__Host-${string}`, maxSeconds: number): TokenCookie {
  const form = new RegExp(`(?:^|;) *${name}=(?<token>[A-Za-z0-9_-]{43}) *(?:;|$)`)
  return {
    signIn: (token) => `${name}=${token}; ${attributes}; Max-Age=${maxSeconds}`,
    signOut: `${name}=; ${attributes}; Max-Age=0`,
    tokenOf: ({ cookie }) => form.exec(cookie ?? '')?.groups?.token,
  }
}
