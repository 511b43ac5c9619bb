import { uncoded } from '@sandbox-jobs/contract/errors/uncoded.ts'
import type { Clock } from '../../base/clock.ts'
import { nameCompany } from '../../base/current-request.ts'
import { PlainError } from '../../base/errors/plain-error.ts'
import type { Pepper, Peppers } from '../../base/keys/peppers.ts'
import type { Database } from '../../db/database.ts'
import { Batcher } from '../../db/fast/batcher.ts'
import { ApiKeyHashes, findByPepper, looksLikeApiKey } from '../keys/api-key-secret.ts'
import type { AccessTokens } from '../login/access-tokens.ts'
import { isLogin } from '../login/logins.ts'
import { servesOrigin } from '../origins.ts'
import type { Principal } from '../principal.ts'
import { touchSignIn } from '../sign-ins/sign-in-store.ts'
import { signInExpiry } from '../sign-ins/sign-ins.ts'
import { hashOfSignIn, isOfConsole, type Presented, tokenOfSignIn } from './browser-sign-in.ts'
import type { KeyCredential, UserAuthority } from './caller-statement.ts'
import {
  findKeyCredentials,
  findLogin,
  findSignIn,
  findUserCredential,
  rehashKey,
  touchKey,
  type UserCredential,
} from './credential-store.ts'
import type { IdentityProvider } from './identity-provider.ts'

/*
 * Identifies the caller. Credentials are `Authorization: Bearer <JWT>` or `X-Api-Key: <key>`; a request with the
 * first is decided by it alone. A token only names a user: role, departments and whether the user is enabled are read
 * again for every request, so that changes by an administrator apply at once. A request with neither may have the cookie of a
 * sign-in, if a page of the console made it (`browser-sign-in.ts`).
 *
 * Every invalid credential gets the same 418 response, whether it is missing, malformed, expired, revoked or its
 * owner disabled (contract part 1, "Authentication").
 *
 * A key that lists origins is for browsers: a request must carry one of them in `Origin`, and one without `Origin` is
 * refused too, or the list would stop nobody but browsers. Keys for servers have the domain `*`.
 */

const tokenMaxLength = 4096
const usedNotedEveryMs = 60_000

export interface AuthenticationOptions {
  db: Database
  tokens: AccessTokens
  /** Another issuer of login tokens, when one is configured. */
  identityProvider?: IdentityProvider | undefined
  /** Peppers of stored API keys. */
  peppers: Peppers
  clock: Clock
  /** Address of the console; absent: no browser is signed in. */
  baseUrl?: string | undefined
}

/** Looks up the key with this keyed hash; undefined if there is none. */
export type FindKey = (keyHash: Buffer) => Promise<KeyCredential | undefined>

export const refuseCredentials = (): PlainError => {
  const { status, detail, headers } = uncoded.no_credentials
  return new PlainError(status, detail, headers)
}

export class Authentication {
  readonly #options: AuthenticationOptions
  readonly #origin: string | undefined
  readonly #hashes = new ApiKeyHashes()
  readonly #keys: Batcher<Buffer, KeyCredential>

  constructor(options: AuthenticationOptions) {
    this.#options = options
    this.#origin = options.baseUrl === undefined ? undefined : new URL(options.baseUrl).origin
    this.#keys = new Batcher((hashes) => findKeyCredentials(options.db, hashes))
  }

  readonly #findKey: FindKey = (keyHash) => this.#keys.add(keyHash)

  /**
   * Resolves a request to its caller; throws `PlainError` 418, or 403 for a key's foreign origin. A caller
   * that looks up more than the key in the same statement passes its own `findKey`; it must not act on the result
   * before this resolves.
   */
  readonly authenticate = async (
    request: Presented,
    findKey: FindKey = this.#findKey,
  ): Promise<Principal> => {
    const { headers } = request
    if (headers.authorization !== undefined) return this.#byToken(headers.authorization)
    const signIn = tokenOfSignIn(headers)
    if (signIn !== undefined) return this.#bySignIn(signIn, request)
    const text = headers['x-api-key']
    if (typeof text !== 'string' || !looksLikeApiKey(text)) throw refuseCredentials()
    const [key, pepper] = await this.#lookUp(text, findKey)
    const now = this.#options.clock.now()
    if (!isUsable(key, now)) throw refuseCredentials()
    if (!servesOrigin(key.domains, headers.origin)) {
      throw new PlainError(uncoded.key_origin.status, uncoded.key_origin.detail)
    }
    const olderThan = new Date(now.getTime() - usedNotedEveryMs)
    // Written at most once a minute, so that a busy key does not turn every read into a write.
    if (!key.last_used_at || key.last_used_at < olderThan) {
      await touchKey(this.#options.db, { companyId: key.company_id, keyId: key.key_id, olderThan }, now)
    }
    await this.#storeAnew(text, key, pepper)
    const principal = principalOf(key, { id: key.owner_user_id, authMethod: 'api_key' })
    const { key_id: id, scope, allowed_chatroom_ids: allowedChatroomIds } = key
    return { ...principal, apiKey: { id, scope, allowedChatroomIds } }
  }

  #lookUp(text: string, findKey: FindKey): Promise<[KeyCredential | undefined, Pepper]> {
    return findByPepper(this.#options.peppers, (pepper) => findKey(this.#hashes.of(text, pepper)))
  }

  /** Stores a key that was found under a former pepper under the present one. */
  async #storeAnew(text: string, key: KeyCredential, pepper: Pepper): Promise<void> {
    const present = this.#options.peppers.present()
    if (pepper.number >= present.number) return
    await rehashKey(this.#options.db, {
      companyId: key.company_id,
      keyId: key.key_id,
      from: this.#hashes.of(text, pepper),
      to: { keyHash: this.#hashes.of(text, present), pepper: present.number },
    })
  }

  async #byToken(authorization: string): Promise<Principal> {
    const [scheme, token, ...rest] = authorization.split(' ')
    if (scheme?.toLowerCase() !== 'bearer' || !token || rest.length > 0 || token.length > tokenMaxLength) {
      throw refuseCredentials()
    }
    const { identityProvider } = this.#options
    const isOfProvider = identityProvider?.issued(token) === true
    const user = isOfProvider
      ? await this.#userOfProvider(identityProvider, token)
      : await this.#userOfOwnToken(token)
    if (!user || user.disabled_at) throw refuseCredentials()
    return isOfProvider ? principalOf(user, { id: user.id, authMethod: 'jwt' }) : principalOfLogin(user)
  }

  async #bySignIn(token: string, request: Presented): Promise<Principal> {
    const { db, clock } = this.#options
    if (this.#origin === undefined || !isOfConsole(request, this.#origin)) throw refuseCredentials()
    const found = await findSignIn(db, hashOfSignIn(token))
    const now = clock.now()
    if (!found || found.disabled_at || found.expires_at <= now) throw refuseCredentials()
    const { company_id: companyId, sign_in_id: id, created_at } = found
    const olderThan = new Date(now.getTime() - usedNotedEveryMs)
    if (!request.isFollowing && found.last_used_at < olderThan) {
      const use = { last_used_at: now, expires_at: signInExpiry(created_at, now) }
      await touchSignIn(db, { companyId, id, olderThan }, use)
    }
    return { ...principalOfLogin(found), signInId: id }
  }

  async #userOfOwnToken(token: string): Promise<UserCredential | undefined> {
    const subject = await this.#options.tokens.read(token)
    if (subject) nameCompany(subject.companyId)
    const user = subject && (await findUserCredential(this.#options.db, subject))
    return user?.credential_generation === subject?.generation ? user : undefined
  }

  async #userOfProvider(provider: IdentityProvider, token: string): Promise<UserCredential | undefined> {
    const login = await provider.login(token)
    return login !== undefined && isLogin(login) ? findLogin(this.#options.db, login) : undefined
  }
}

const isUsable = (key: KeyCredential | undefined, now: Date): key is KeyCredential =>
  key !== undefined &&
  !key.disabled_at &&
  !key.revoked_at &&
  (key.expires_at === null || key.expires_at > now)

/** A user whose login with a password, or what was made with it, is checked by its generation. */
export const principalOfLogin = (user: UserCredential): Principal => ({
  ...principalOf(user, { id: user.id, authMethod: 'jwt' }),
  credentialGeneration: user.credential_generation,
})

/** A user as a principal. */
export function principalOf(
  user: UserAuthority,
  { id, authMethod }: { id: string; authMethod: Principal['authMethod'] },
): Principal {
  return {
    companyId: user.company_id,
    principalType: 'user',
    principalId: id,
    authMethod,
    role: user.role,
    managedDepartmentIds: user.managed_department_ids,
  }
}
