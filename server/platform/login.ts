import { CodedError } from '../base/coded-error.ts'
import type { Database } from '../db/database.ts'
import type { AccessTokens } from './access-tokens.ts'
import { refuseCredentials } from './authentication.ts'
import { findLogin } from './credential-store.ts'
import type { LoginAttempts } from './login-attempts.ts'
import { isLogin } from './logins.ts'
import { verifyPassword } from './passwords.ts'

export interface LoginServices {
  db: Database
  tokens: AccessTokens
  attempts: LoginAttempts
}

export interface LoginRequest {
  username: string
  password: string
  /** Address the request came from. */
  client: string
}

export interface IssuedToken {
  access_token: string
  token_type: 'bearer'
  expires_in: number
}

/**
 * Password for token (contract part 3, D1). An unknown login, a wrong password and a disabled user are told alike
 * (418), at the same cost; too many of them are `login_rate_limited`.
 */
export async function logIn(services: LoginServices, request: LoginRequest): Promise<IssuedToken> {
  const { db, tokens, attempts } = services
  const waitSeconds = attempts.take(request.username, request.client)
  if (waitSeconds > 0) throw new CodedError('login_rate_limited', { retry_after_seconds: waitSeconds })
  const user = isLogin(request.username) ? await findLogin(db, request.username) : undefined
  const fits = await verifyPassword(request.password, user?.password_hash).catch((error: unknown) => {
    // Nothing was tried: a server that is too busy to look says nothing about the password.
    attempts.giveBack(request.username, request.client)
    throw error
  })
  if (!user || !fits || user.disabled_at) throw refuseCredentials()
  attempts.giveBack(request.username, request.client)
  const access_token = await tokens.sign({
    userId: user.id,
    companyId: user.company_id,
    generation: user.credential_generation,
  })
  return { access_token, token_type: 'bearer', expires_in: tokens.lifetimeSeconds }
}
