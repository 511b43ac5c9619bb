import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from 'vitest'

type Claims = Record<string, unknown>

interface Login {
  challenge: string
  nonce: string
  redirectUri: string
}

const keyId = 'of-2026'

/**
 * An identity provider (OpenID Connect) in the test's process, at which everybody is signed in at once as `person`. It checks what a
 * provider has to: a code is good once, for its client, its redirect address and the verifier of its challenge. Tests spoil its answers.
 */
export class TestIdentityProvider {
  /** Claims about the person who signs in next. */
  person: Claims = { sub: 'anna' }
  /** Makes the ID token; a hostile provider makes another one. */
  idToken: (claims: Claims) => string | Promise<string> = (claims) => this.signed(claims)
  /** Claims of every ID token beside those of the person. */
  spoiled: Claims = {}
  metadata: Record<string, unknown> = {}
  takesCodesTwice = false
  /** The end of its issuer: Auth0's has a slash. */
  issuerEnd: '' | '/' = ''
  /** Paths whose requests are left without an answer. */
  readonly silent = new Set<string>()
  readonly clientId = 'sandbox-jobs-console'
  /** Undefined: the client is public. */
  secret: string | undefined = 's3cret: ä/+'
  /** Requests for tokens, as form fields. */
  readonly redeemed: Record<string, string>[] = []
  readonly #logins = new Map<string, Login>()
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  readonly #server = createServer((request, response) => void this.#answer(request, response))

  constructor() {
    beforeAll(() => new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve)))
    afterAll(() => {
      this.#server.closeAllConnections()
      this.#server.close()
    })
  }

  /** At a name of this machine that is another site than `127.0.0.1` for browsers. */
  get #address(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}`
  }

  get issuer(): string {
    return `${this.#address}${this.issuerEnd}`
  }

  /** Behaves well again. */
  reset(): void {
    this.person = { sub: 'anna' }
    this.idToken = (claims) => this.signed(claims)
    this.spoiled = {}
    this.metadata = {}
    this.takesCodesTwice = false
    this.issuerEnd = ''
    this.silent.clear()
    this.redeemed.length = 0
  }

  signed(claims: Claims): string {
    const parts = [{ alg: 'ES256', kid: keyId }, claims]
    const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
    const key = { key: this.#keys.privateKey, dsaEncoding: 'ieee-p1363' } as const
    return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.#address)
    if (this.silent.has(url.pathname)) return
    const json = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        json(200, { ...this.#published(), ...this.metadata })
        break
      case '/authorize':
        response.writeHead(303, { location: this.#authorized(url.searchParams) }).end()
        break
      case '/token': {
        const token = await this.#redeem(request)
        json(token === undefined ? 400 : 200, token === undefined ? { error: 'invalid_grant' } : token)
        break
      }
      case '/keys':
        json(200, {
          keys: [{ ...this.#keys.publicKey.export({ format: 'jwk' }), kid: keyId, alg: 'ES256' }],
        })
        break
      default:
        json(404, {})
    }
  }

  #published() {
    const address = this.#address
    return {
      issuer: this.issuer,
      authorization_endpoint: `${address}/authorize`,
      token_endpoint: `${address}/token`,
      jwks_uri: `${address}/keys`,
    }
  }

  #authorized(asked: URLSearchParams): string {
    const code = randomUUID()
    const read = (name: string) => asked.get(name) ?? ''
    const redirectUri = read('redirect_uri')
    this.#logins.set(code, { challenge: read('code_challenge'), nonce: read('nonce'), redirectUri })
    const back = new URL(redirectUri)
    back.searchParams.set('code', code)
    back.searchParams.set('state', read('state'))
    return back.href
  }

  async #redeem(request: IncomingMessage): Promise<object | undefined> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const form = Object.fromEntries(new URLSearchParams(Buffer.concat(parts).toString()))
    this.redeemed.push(form)
    const { code = '', code_verifier: verifier = '', redirect_uri: redirectUri } = form
    const login = this.#logins.get(code)
    if (!this.takesCodesTwice) this.#logins.delete(code)
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    const isOwn = login?.challenge === challenge && login.redirectUri === redirectUri
    if (!login || !isOwn || !this.#isClient(request, form)) return undefined
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: this.issuer, aud: this.clientId, iat: now, exp: now + 300, nonce: login.nonce }
    const idToken = await this.idToken({ ...claims, ...this.person, ...this.spoiled })
    return { access_token: randomUUID(), token_type: 'Bearer', id_token: idToken }
  }

  #isClient({ headers }: IncomingMessage, form: Record<string, string>): boolean {
    if (this.secret === undefined) return form.client_id === this.clientId
    const basic = /^Basic (?<pair>\S+)$/.exec(headers.authorization ?? '')?.groups?.pair
    if (basic === undefined) return form.client_id === this.clientId && form.client_secret === this.secret
    const [id = '', secret = ''] = Buffer.from(basic, 'base64').toString().split(':')
    const decoded = (text: string) => new URLSearchParams(`text=${text}`).get('text')
    return decoded(id) === this.clientId && decoded(secret) === this.secret
  }
}
