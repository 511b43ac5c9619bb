import { createRemoteJWKSet, decodeJwt, errors, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { Clock } from '../base/clock.ts'
import type { Config } from '../base/config.ts'
import type { Log } from '../base/logging.ts'

/** Signatures that need no secret shared with the provider. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']
const fetchTimeoutMs = 5000
/** Failures that the token is not to blame for. */
const unreadableKeys = new Set(['ERR_JOSE_GENERIC', errors.JWKSTimeout.code, errors.JWKSInvalid.code])

export interface IdentityProviderSettings {
  /** `iss` of its tokens. */
  issuer: string
  jwksUrl: string
  /** What must be among `aud`: tokens for other services of the same provider are nothing here. */
  audience: string
  /** Claim that holds the login name of the user. */
  loginClaim: string
}

/**
 * An issuer of login tokens beside this service (contract part 3, D1). It says who somebody is, never what they may
 * do: the login must be one of the directory, and role and departments are the directory's.
 */
export class IdentityProvider {
  readonly #settings: IdentityProviderSettings
  readonly #clock: Clock
  readonly #log: Log
  readonly #keys: JWTVerifyGetKey

  constructor(settings: IdentityProviderSettings, parts: { clock: Clock; log: Log }) {
    this.#settings = settings
    this.#clock = parts.clock
    this.#log = parts.log
    this.#keys = createRemoteJWKSet(new URL(settings.jwksUrl), { timeoutDuration: fetchTimeoutMs })
  }

  /** Whether a token says that it is of this issuer; nothing of it is believed yet. */
  issued(token: string): boolean {
    try {
      return decodeJwt(token).iss === this.#settings.issuer
    } catch {
      return false
    }
  }

  /** The login name in a live token of the issuer; undefined for any other, and while its keys cannot be read. */
  async login(token: string): Promise<string | undefined> {
    const { issuer, audience, loginClaim } = this.#settings
    try {
      const { payload } = await jwtVerify(token, this.#keys, {
        algorithms,
        issuer,
        audience,
        currentDate: this.#clock.now(),
        requiredClaims: ['exp'],
      })
      const login = payload[loginClaim]
      return typeof login === 'string' ? login : undefined
    } catch (error) {
      if (!(error instanceof errors.JOSEError) || unreadableKeys.has(error.code)) {
        this.#log.warn({ error: String(error) }, 'the keys of the identity provider cannot be read')
      }
      return undefined
    }
  }
}

/** The identity provider that is configured, if one is. */
export function identityProviderOf(
  config: Pick<Config, 'jwtIssuer' | 'jwtJwksUrl' | 'jwtAudience' | 'jwtLoginClaim'>,
  parts: { clock: Clock; log: Log },
): IdentityProvider | undefined {
  const { jwtIssuer: issuer, jwtJwksUrl: jwksUrl, jwtAudience: audience, jwtLoginClaim: loginClaim } = config
  return issuer === undefined || jwksUrl === undefined
    ? undefined
    : new IdentityProvider({ issuer, jwksUrl, audience, loginClaim }, parts)
}
