import { errors, jwtVerify, SignJWT } from 'jose'
import type { Clock } from '../../base/clock.ts'
import type { TokenKeys } from '../../base/keys/token-keys.ts'

const algorithm = 'EdDSA'
const audience = 'sandbox-jobs'
const type = 'at+jwt'

/** Claims of a login token. All other data about the user is read again on each request. */
export interface TokenSubject {
  userId: string
  companyId: string
  /** Equals the user's `credential_generation` while the token is valid. */
  generation: number
}

export interface AccessTokenOptions {
  keys: TokenKeys
  clock: Clock
  /** Names the deployment. */
  issuer: string
  lifetimeSeconds: number
}

/** Login tokens: JWTs signed with Ed25519. Tokens of another deployment, key or purpose are invalid here. */
export class AccessTokens {
  readonly #options: AccessTokenOptions

  constructor(options: AccessTokenOptions) {
    this.#options = options
  }

  get lifetimeSeconds(): number {
    return this.#options.lifetimeSeconds
  }

  sign(subject: TokenSubject): Promise<string> {
    const { keys, clock, issuer, lifetimeSeconds } = this.#options
    const nowSeconds = Math.floor(clock.now().getTime() / 1000)
    const { id, key } = keys.signing()
    return new SignJWT({ company: subject.companyId, gen: subject.generation })
      .setProtectedHeader({ alg: algorithm, typ: type, kid: id })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(subject.userId)
      .setIssuedAt(nowSeconds)
      .setExpirationTime(nowSeconds + lifetimeSeconds)
      .sign(key)
  }

  /** Undefined unless the token is valid, not expired, and from this deployment. */
  async read(token: string): Promise<TokenSubject | undefined> {
    const { keys, clock, issuer } = this.#options
    const keyOf = ({ kid }: { kid?: string }) => {
      const key = kid === undefined ? undefined : keys.verifying(kid, clock.now())
      if (!key) throw new errors.JWTInvalid('unknown key')
      return key
    }
    try {
      const { payload } = await jwtVerify(token, keyOf, {
        algorithms: [algorithm],
        typ: type,
        issuer,
        audience,
        currentDate: clock.now(),
        requiredClaims: ['sub', 'exp', 'iat'],
      })
      const { sub, company, gen } = payload
      if (typeof sub !== 'string' || typeof company !== 'string' || typeof gen !== 'number') return undefined
      return { userId: sub, companyId: company, generation: gen }
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined
      throw error
    }
  }
}
