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

interface CookieOptions {
  /** `Lax`: a link on another site that the browser follows brings it along too. */
  sameSite?: 'Strict' | 'Lax'
  /** Pattern of the token. */
  form?: string
}

/**
 * The prefix `__Host-` has browsers refuse the cookie from neighbours of the host and over HTTP that is not of their own machine.
 */
export function tokenCookie(
  name: `__Host-${string}`,
  maxSeconds: number,
  { sameSite = 'Strict', form = '[A-Za-z0-9_-]{43}' }: CookieOptions = {},
): TokenCookie {
  const attributes = `Path=/; Secure; HttpOnly; SameSite=${sameSite}`
  const pattern = new RegExp(`(?:^|;) *${name}=(?<token>${form}) *(?:;|$)`)
  return {
    signIn: (token) => `${name}=${token}; ${attributes}; Max-Age=${maxSeconds}`,
    signOut: `${name}=; ${attributes}; Max-Age=0`,
    tokenOf: ({ cookie }) => pattern.exec(cookie ?? '')?.groups?.token,
  }
}
