import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { providerCallbackPath } from '@sandbox-jobs/contract/provider-sign-in.ts'
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { belowIssuer } from '../../base/addresses/below-issuer.ts'
import { isSecureAddress } from '../../base/addresses/secure-address.ts'
import type { Clock } from '../../base/clock.ts'
import type { Config } from '../../base/config/config.ts'
import { areKeysUnreadable, providerAlgorithms } from '../authentication/identity-provider.ts'
import { ProviderFailure } from './provider-failure.ts'
import { type Asked, askProvider } from './provider-json.ts'

/*
 * OpenID Connect with one provider, as its client: the authorization code flow with PKCE (RFC 7636), by what the provider publishes
 * about itself (OpenID Connect Discovery). Each answer is verified; one that is late, large or of another
 * form is a `ProviderFailure`.
 */

export interface OpenIdSettings {
  issuer: string
  clientId: string
  /** Read for each sign-in, so that a new secret needs no restart; absent: a public client. */
  clientSecretFile: string | undefined
  name: string
  /** Claim with the login name of a user. */
  loginClaim: string
  /** Address of the service. */
  baseUrl: string
}

interface OpenIdParts {
  clock: Clock
  /** For each answer of the provider. */
  timeoutMs?: number
}

interface Metadata {
  authorization: string
  token: string
  /** Whether the client's secret is in the form, not in a header. */
  isSecretPosted: boolean
  keys: JWTVerifyGetKey
  readAt: Date
}

/** Random values that the answers to one sign-in have to prove. */
export interface OpenIdProof {
  state: string
  nonce: string
  verifier: string
}

const metadataMaxAgeMs = 3_600_000
const codeMaxLength = 4096
const answerMaxMs = 5000

export class OpenIdProvider {
  readonly settings: OpenIdSettings
  readonly #clock: Clock
  readonly #timeoutMs: number
  #metadata: Promise<Metadata | undefined> | undefined

  constructor(settings: OpenIdSettings, { clock, timeoutMs = answerMaxMs }: OpenIdParts) {
    this.settings = settings
    this.#clock = clock
    this.#timeoutMs = timeoutMs
  }

  get #redirectUri(): string {
    return `${this.settings.baseUrl}${providerCallbackPath}`
  }

  /** Where the browser goes to sign in. */
  async authorizationAddress({ state, nonce, verifier }: OpenIdProof): Promise<string> {
    const { authorization } = await this.#published()
    const url = new URL(authorization)
    const asked = {
      response_type: 'code',
      client_id: this.settings.clientId,
      redirect_uri: this.#redirectUri,
      scope: 'openid profile email',
      state,
      nonce,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }
    for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value)
    return url.href
  }

  /** The verified claims about the person for whom the provider made the code. */
  async claimsOf(code: string, { nonce, verifier }: Omit<OpenIdProof, 'state'>): Promise<JWTPayload> {
    if (code === '' || code.length > codeMaxLength) throw new ProviderFailure('refused', 'code')
    const metadata = await this.#published()
    const { status, body } = await this.#ask(metadata.token, await this.#redeeming(metadata, code, verifier))
    if (status !== 200) throw new ProviderFailure('refused', 'code_refused')
    if (typeof body.id_token !== 'string') throw new ProviderFailure('refused', 'no_id_token')
    const claims = await this.#verified(body.id_token, metadata.keys)
    if (claims.nonce !== nonce) throw new ProviderFailure('refused', 'nonce')
    const { clientId } = this.settings
    if ([claims.aud].flat().length > 1 && claims.azp !== clientId) throw new ProviderFailure('refused', 'azp')
    return claims
  }

  /** Why nobody can begin to sign in, as a word of this service; null if people can. */
  async problem(): Promise<string | null> {
    try {
      await this.#published()
      return null
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error
      return error.reason
    }
  }

  /** Its metadata. A failure is not kept. */
  async #published(): Promise<Metadata> {
    const kept = await this.#metadata
    if (kept && this.#clock.now().getTime() - kept.readAt.getTime() < metadataMaxAgeMs) return kept
    const read = this.#discover()
    this.#metadata = read.catch(() => undefined)
    return read
  }

  #ask(address: string, asked: Asked = {}) {
    return askProvider(address, asked, AbortSignal.timeout(this.#timeoutMs))
  }

  async #discover(): Promise<Metadata> {
    const { issuer } = this.settings
    const { status, body } = await this.#ask(belowIssuer(issuer, '/.well-known/openid-configuration'))
    if (status !== 200) throw new ProviderFailure('unreachable', 'no_metadata')
    if (body.issuer !== issuer) throw new ProviderFailure('unreachable', 'metadata_of_another_issuer')
    const ways = body.token_endpoint_auth_methods_supported
    return {
      authorization: addressIn(body, 'authorization_endpoint'),
      token: addressIn(body, 'token_endpoint'),
      isSecretPosted: Array.isArray(ways) && !ways.includes('client_secret_basic'),
      keys: createRemoteJWKSet(new URL(addressIn(body, 'jwks_uri')), { timeoutDuration: this.#timeoutMs }),
      readAt: this.#clock.now(),
    }
  }

  async #redeeming({ isSecretPosted }: Metadata, code: string, verifier: string): Promise<Asked> {
    const { clientId, clientSecretFile } = this.settings
    const secret = clientSecretFile === undefined ? undefined : await secretIn(clientSecretFile)
    const form = new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: this.#redirectUri,
      code_verifier: verifier,
    })
    if (secret !== undefined && !isSecretPosted) {
      // Both parts are encoded as in a form before they are joined (RFC 6749, section 2.3.1).
      const [id, word] = [clientId, secret].map((text) => new URLSearchParams({ text }).toString().slice(5))
      const basic = Buffer.from(`${id}:${word}`).toString('base64')
      return { method: 'POST', body: form, headers: { authorization: `Basic ${basic}` } }
    }
    form.set('client_id', clientId)
    if (secret !== undefined) form.set('client_secret', secret)
    return { method: 'POST', body: form }
  }

  async #verified(token: string, keys: JWTVerifyGetKey): Promise<JWTPayload> {
    const { issuer, clientId: audience } = this.settings
    try {
      const { payload } = await jwtVerify(token, keys, {
        algorithms: providerAlgorithms,
        issuer,
        audience,
        currentDate: this.#clock.now(),
        requiredClaims: ['exp', 'iat', 'sub'],
      })
      return payload
    } catch (error) {
      if (areKeysUnreadable(error)) throw new ProviderFailure('unreachable', 'no_keys')
      const code = error instanceof errors.JOSEError ? error.code : ''
      throw new ProviderFailure('refused', `id_token ${code}`)
    }
  }
}

/** An address that nobody on the way can change or read along. */
function addressIn(body: Record<string, unknown>, name: string): string {
  const text = body[name]
  const url = typeof text === 'string' ? URL.parse(text) : null
  if (!url || !isSecureAddress(url)) throw new ProviderFailure('unreachable', `no_${name}`)
  return url.href
}

async function secretIn(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch {
    throw new ProviderFailure('unreachable', 'no_client_secret')
  }
}

/** The provider at which people sign in to the console, if one is configured. */
export function openIdProviderOf(
  config: Pick<
    Config,
    'baseUrl' | 'jwtIssuer' | 'jwtLoginClaim' | 'oidcClientId' | 'oidcClientSecretFile' | 'oidcName'
  >,
  parts: OpenIdParts,
): OpenIdProvider | undefined {
  const { jwtIssuer: issuer, oidcClientId: clientId, jwtLoginClaim: loginClaim, oidcName: name } = config
  const { baseUrl, oidcClientSecretFile: clientSecretFile } = config
  return issuer === undefined || clientId === undefined
    ? undefined
    : new OpenIdProvider({ issuer, clientId, clientSecretFile, name, loginClaim, baseUrl }, parts)
}
