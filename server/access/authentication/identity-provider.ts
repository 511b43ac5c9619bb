import { createRemoteJWKSet, decodeJwt, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { Clock } from '../../base/clock.ts'
import type { Config } from '../../base/config/config.ts'
import type { Log } from '../../base/logging.ts'

/** Signatures that need no secret shared with the provider. */
export const providerAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
]
const fetchTimeoutMs = 5000
/** Failures that are not the fault of the token. */
const unreadableKeys = new Set(['ERR_JOSE_GENERIC', errors.JWKSTimeout.code, errors.JWKSInvalid.code])

/** Whether a token was not verified because the provider's keys cannot be read. */
export const areKeysUnreadable = (error: unknown): boolean =>
  !(error instanceof errors.JOSEError) || unreadableKeys.has(error.code)

/**
 * The login name in verified claims. People may give a provider the e-mail address of somebody else, so an address that it has not
 * verified names nobody.
 */
export function loginIn(claims: JWTPayload, loginClaim: string): string | undefined {
  if (loginClaim === 'email' && String(claims.email_verified) !== 'true') return undefined
  const login = claims[loginClaim]
  return typeof login === 'string' ? login : undefined
}

export interface IdentityProviderSettings {
  /** `iss` of its tokens. */
  issuer: string
  jwksUrl: string
  /** Must be among `aud`: tokens for other services of the same provider are refused. */
  audience: string
  /** Must not be among `aud`. */
  otherAudience?: string | undefined
  /** Claim that holds the login name of the user. */
  loginClaim: string
}

/**
 * A further issuer of login tokens (contract part 3, D1). It authenticates users and grants nothing: the login must
 * exist in the directory, and role and departments are the directory's.
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

  get issuer(): string {
    return this.#settings.issuer
  }

  /** Whether a token claims to be from this issuer; nothing is verified yet. */
  issued(token: string): boolean {
    try {
      return decodeJwt(token).iss === this.#settings.issuer
    } catch {
      return false
    }
  }

  /** The login name in a valid token of the issuer; undefined for any other, and while its keys cannot be read. */
  async login(token: string): Promise<string | undefined> {
    const { issuer, audience, otherAudience, loginClaim } = this.#settings
    try {
      const { payload } = await jwtVerify(token, this.#keys, {
        algorithms: providerAlgorithms,
        issuer,
        audience,
        currentDate: this.#clock.now(),
        requiredClaims: ['exp'],
      })
      if (otherAudience !== undefined && [payload.aud].flat().includes(otherAudience)) return undefined
      return loginIn(payload, loginClaim)
    } catch (error) {
      if (areKeysUnreadable(error)) {
        this.#log.warn({ error: String(error) }, 'the keys of the identity provider cannot be read')
      }
      return undefined
    }
  }
}

type ProviderConfig = Pick<
  Config,
  'jwtIssuer' | 'jwtJwksUrl' | 'jwtAudience' | 'jwtMcpAudience' | 'jwtLoginClaim'
>

/** The configured identity provider, if any. Tokens for agents are not for people. */
export const identityProviderOf = (
  config: ProviderConfig,
  parts: { clock: Clock; log: Log },
): IdentityProvider | undefined =>
  providerOf(config, parts, { audience: config.jwtAudience, otherAudience: config.jwtMcpAudience })

/** The same for the tokens of agents, if it issues such. Tokens for people are not for agents. */
export const agentIdentityProviderOf = (
  config: ProviderConfig,
  parts: { clock: Clock; log: Log },
): IdentityProvider | undefined =>
  config.jwtMcpAudience === undefined
    ? undefined
    : providerOf(config, parts, { audience: config.jwtMcpAudience, otherAudience: config.jwtAudience })

function providerOf(
  { jwtIssuer: issuer, jwtJwksUrl: jwksUrl, jwtLoginClaim: loginClaim }: ProviderConfig,
  parts: { clock: Clock; log: Log },
  audiences: Pick<IdentityProviderSettings, 'audience' | 'otherAudience'>,
): IdentityProvider | undefined {
  return issuer === undefined || jwksUrl === undefined
    ? undefined
    : new IdentityProvider({ issuer, jwksUrl, ...audiences, loginClaim }, parts)
}
