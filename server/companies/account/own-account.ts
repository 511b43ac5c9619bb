import type {
  OwnAccount,
  PasswordChangeRequest,
  Preferences,
} from '@sandbox-jobs/contract/resources/access/own-account.ts'
import type { SignInsEnded } from '@sandbox-jobs/contract/resources/access/sign-in.ts'
import { lockAuthority } from '../../access/authentication/lock-authority.ts'
import { type MeServices, readMe } from '../../access/directory/me.ts'
import { type LoginServices, verifyLogin } from '../../access/login/login.ts'
import type { Principal } from '../../access/principal.ts'
import { keepSignInAlone } from '../../access/sign-ins/sign-in-store.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { PlainError } from '../../base/errors/plain-error.ts'
import { invalid } from '../../base/errors/validation-error.ts'
import type { Database } from '../../db/database.ts'
import { findCompany } from '../company-store.ts'
import { findAccountRow, findUserRow, updateUserRow } from '../user-store.ts'
import { hashFairly } from '../users.ts'
import { findPreferences, putPreferences } from './preference-store.ts'

export interface OwnAccountDeps extends MeServices, Pick<LoginServices, 'throttle'> {
  db: Database
  /** Of the service. */
  version: string
}

const standard: Preferences = {
  language: null,
  time_zone: null,
  theme: 'system',
  single_keys: true,
  log_wrap: false,
}

/** Throws `not_found` for who is no user. */
export async function readOwnAccount(deps: OwnAccountDeps, principal: Principal): Promise<OwnAccount> {
  const { companyId, principalId: id } = principal
  const [me, user, company, preferences] = await Promise.all([
    readMe(deps, principal),
    findAccountRow(deps.db, { companyId, id }),
    findCompany(deps.db, companyId),
    findPreferences(deps.db, { companyId, userId: id }),
  ])
  if (!user || !company) throw notFound()
  return {
    ...me,
    login: user.login,
    display_name: user.display_name,
    company_name: company.name,
    has_password: user.has_password,
    preferences: preferences ? shown(preferences) : standard,
    version: deps.version,
  }
}

/** Replaces the preferences of the caller. Throws the standard 422 for a time zone that there is not. */
export async function updatePreferences(
  { db }: Pick<OwnAccountDeps, 'db'>,
  { companyId: company_id, principalId: user_id }: Principal,
  preferences: Preferences,
): Promise<Preferences> {
  if (preferences.time_zone !== null && !isTimeZone(preferences.time_zone))
    throw invalid(['body', 'time_zone'], 'time_zone', 'must be the name of a time zone')
  await putPreferences(db, { company_id, user_id, ...preferences })
  return shown(preferences)
}

/**
 * Throws `wrong_password` and `login_rate_limited`. All logins of the person end, but for the sign-in of the request, in
 * the same transaction.
 */
export async function changePassword(
  deps: OwnAccountDeps,
  principal: Principal,
  { current, password }: PasswordChangeRequest,
  client: string,
): Promise<SignInsEnded> {
  const { companyId, principalId: id, signInId } = principal
  const user = await findUserRow(deps.db, { companyId, id })
  if (!user) throw notFound()
  await verifyCurrent(deps, { username: user.login, password: current, client })
  const passwordHash = await hashFairly(companyId, password)
  return deps.db.transaction().execute(async (trx) => {
    await lockAuthority(trx, principal)
    await updateUserRow(trx, { companyId, id }, { passwordHash })
    return { ended: await keepSignInAlone(trx, { companyId, userId: id }, signInId) }
  })
}

async function verifyCurrent(
  deps: OwnAccountDeps,
  request: Parameters<typeof verifyLogin>[1],
): Promise<void> {
  try {
    await verifyLogin(deps, request)
  } catch (error) {
    throw error instanceof PlainError ? new CodedError('wrong_password') : error
  }
}

const shown = ({ language, time_zone, theme, single_keys, log_wrap }: Preferences): Preferences => ({
  language,
  time_zone,
  theme,
  single_keys,
  log_wrap,
})

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
