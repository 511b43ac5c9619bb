import { isJsonObject } from '@sandbox-jobs/contract/json-object.ts'
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose'
import type { Clock } from '../../server/base/clock.ts'
import { runnerAccount, runnerAudience } from '../pod/pod-settings.ts'

/** The pod for which the cluster made a token. */
export interface TokenPod {
  name: string
  uid: string
}

/** No token of this cluster for a pod of this namespace, or one that has run out. */
export class TokenRefused extends Error {
  readonly reason: 'token_invalid' | 'other_pod'
  constructor(reason: TokenRefused['reason']) {
    super(`the token of a pod is refused: ${reason}`)
    this.name = 'TokenRefused'
    this.reason = reason
  }
}

export interface PodTokensOptions {
  /** Reads `/openid/v1/jwks` of the API server. */
  readKeys: () => Promise<Record<string, unknown>>
  namespace: string
  clock: Clock
}

const keysLifeMs = 600_000
/** A token that names an unknown key does not make us ask for keys more often than this: anybody can send one. */
const askAgainMs = 10_000
/** Clusters sign with RS256, and those with keys on a curve with ES256. */
const algorithms = ['RS256', 'ES256']
const tokenMaxLength = 8192

/** Checks the service account tokens of pods by the keys of their cluster, which are read again from time to time. */
export class PodTokens {
  readonly #options: PodTokensOptions
  #keys: ReturnType<typeof createLocalJWKSet> | undefined
  #askedAtMs = Number.NEGATIVE_INFINITY
  #asking: Promise<void> | undefined

  constructor(options: PodTokensOptions) {
    this.#options = options
  }

  /** Throws `TokenRefused`, or an error of `readKeys`. */
  async podOf(token: string): Promise<TokenPod> {
    if (token.length > tokenMaxLength) throw new TokenRefused('token_invalid')
    await this.#refresh(keysLifeMs)
    try {
      return this.#podIn(await this.#verified(token))
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw refusalOf(error)
    }
    await this.#refresh(askAgainMs)
    return this.#podIn(
      await this.#verified(token).catch((error: unknown) => {
        throw refusalOf(error)
      }),
    )
  }

  async #verified(token: string): Promise<JWTPayload> {
    if (!this.#keys) throw new Error('the keys of the cluster are not known')
    const currentDate = this.#options.clock.now()
    const { payload } = await jwtVerify(token, this.#keys, {
      ...{ algorithms, audience: runnerAudience, currentDate },
      requiredClaims: ['exp'],
    })
    return payload
  }

  #podIn({ 'kubernetes.io': claims }: JWTPayload): TokenPod {
    if (!isJsonObject(claims) || !isJsonObject(claims.pod) || !isJsonObject(claims.serviceaccount))
      throw new TokenRefused('token_invalid')
    const { namespace, pod, serviceaccount: account } = claims
    if (namespace !== this.#options.namespace || account.name !== runnerAccount)
      throw new TokenRefused('other_pod')
    if (typeof pod.name !== 'string' || typeof pod.uid !== 'string' || !/^[\w-]{1,64}$/.test(pod.uid))
      throw new TokenRefused('token_invalid')
    return { name: pod.name, uid: pod.uid }
  }

  async #refresh(olderThanMs: number): Promise<void> {
    const isFresh = this.#options.clock.now().getTime() - this.#askedAtMs < olderThanMs
    if (this.#keys && isFresh) return
    this.#asking ??= this.#read().finally(() => {
      this.#asking = undefined
    })
    await this.#asking
  }

  async #read(): Promise<void> {
    const found = (await this.#options.readKeys()) as unknown as JSONWebKeySet
    this.#keys = createLocalJWKSet(found)
    this.#askedAtMs = this.#options.clock.now().getTime()
  }
}

/** An error of the verification says how a token is made; none is shown. */
const refusalOf = (error: unknown): unknown => {
  if (error instanceof TokenRefused) return error
  return error instanceof errors.JOSEError ? new TokenRefused('token_invalid') : error
}
