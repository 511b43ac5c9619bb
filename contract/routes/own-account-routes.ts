import {
  OwnAccount,
  PasswordChangeRequest,
  Preferences,
  PreferencesUpdateRequest,
} from '../resources/access/own-account.ts'
import { SignInsEnded } from '../resources/access/sign-in.ts'
import { extensionPrefix } from './prefixes.ts'
import { route } from './route.ts'

const account = `${extensionPrefix}/me` as const
const own = { tag: 'Sign-ins', action: 'account.manage' } as const

/** The account of the caller, and how the console looks for them. */
export const ownAccountRoutes = {
  readOwnAccount: route({
    ...own,
    method: 'GET',
    path: account,
    summary: 'Read the account of the caller with names and preferences',
    description: 'As readMe, with what a user interface shows beside it.',
    response: OwnAccount,
    errors: ['not_found'],
  }),
  updatePreferences: route({
    ...own,
    method: 'PUT',
    path: `${account}/preferences`,
    summary: 'Set how the console looks and behaves for the caller',
    description:
      'Replaces all of them. Cookies tell the page its language and its colours before it has read them.',
    body: PreferencesUpdateRequest,
    response: Preferences,
    errors: [],
  }),
  changePassword: route({
    ...own,
    method: 'PUT',
    path: `${account}/password`,
    summary: 'Change the password of the caller',
    description:
      'Ends all other sign-ins, and all login tokens. Wrong passwords count as failed logins. API keys stay good.',
    body: PasswordChangeRequest,
    response: SignInsEnded,
    errors: ['wrong_password', 'login_rate_limited'],
  }),
}
