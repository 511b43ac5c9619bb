import { nameActor } from '../../base/current-request.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import type { Database } from '../../db/database.ts'
import { refuseCredentials } from '../authentication/authentication.ts'
import { findLogin, type UserCredential } from '../authentication/credential-store.ts'
import type { AccessTokens } from './access-tokens.ts'
import { hashing } from './hashing.ts'
import type { LoginThrottle } from './login-throttle.ts'
import { isLogin } from './logins.ts'
import { verifyPassword } from './passwords.ts'

export interface LoginServices {
  db: Database
  tokens: AccessTokens
  throttle: LoginThrottle
}

export interface LoginRequest {
  username: string
  password: string
  /** Client address of the request. */
  client: string
}

export interface IssuedToken {
  access_token: string
  token_type: 'bearer'
  expires_in: number
}

const rateLimited = (seconds: number) =>
  new CodedError('login_rate_limited', { retry_after_seconds: Math.max(1, seconds) })

/**
 * The user whose password it is. An unknown login, a wrong password and a disabled user get the same response (418) at the same
 * cost. Too many failed attempts get `login_rate_limited`.
 */
export async function verifyLogin(
  { db, throttle }: Pick<LoginServices, 'db' | 'throttle'>,
  request: LoginRequest,
): Promise<UserCredential> {
  const user = isLogin(request.username) ? await findLogin(db, request.username) : undefined
  const loginTry = await throttle.begin(request.username, request.client, user)
  const waitSeconds = await throttle.waitSeconds(loginTry)
  if (waitSeconds > 0) throw rateLimited(waitSeconds)
  const fits = await hashing.inTurn(loginTry.hashOwner, async () => {
    if (!(await throttle.take(loginTry))) throw rateLimited(await throttle.waitSeconds(loginTry))
    return verifyPassword(request.password, user?.password_hash)
  })
  if (!user || !fits || user.disabled_at) throw refuseCredentials()
  nameActor({ actor_type: 'user', actor_id: user.id })
  await throttle.succeeded(loginTry)
  return user
}

/** Exchanges a password for a token (contract part 3, D1). Throws what `verifyLogin` throws. */
export async function logIn(services: LoginServices, request: LoginRequest): Promise<IssuedToken> {
  const { tokens } = services
  const user = await verifyLogin(services, request)
  const access_token = await tokens.sign({
    userId: user.id,
    companyId: user.company_id,
    generation: user.credential_generation,
  })
  return { access_token, token_type: 'bearer', expires_in: tokens.lifetimeSeconds }
}
