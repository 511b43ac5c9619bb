import { UserId } from '../identifiers.ts'
import { InvitationRequest, PasswordAddress } from '../resources/companies/invitation.ts'
import { Strict } from '../schema.ts'
import { extensionPrefix } from './prefixes.ts'
import { route } from './route.ts'

const users = `${extensionPrefix}/users` as const

const administrator = { action: 'directory.manage', tag: 'Platform', method: 'POST' } as const

/** People who choose their password on a page of the service, so that no administrator knows it. */
export const invitationRoutes = {
  inviteUser: route({
    ...administrator,
    path: users,
    summary: 'Create a user who chooses a password at the returned address',
    description:
      'Give the address to the person alone: it is good once, for three days, and while the caller is an administrator and their credential lives. createPasswordAddress makes another.',
    body: InvitationRequest,
    response: PasswordAddress,
    errors: [
      'insufficient_permissions',
      'already_exists',
      'managed_departments_invalid',
      'storage_quota_exceeded',
    ],
  }),
  createPasswordAddress: route({
    ...administrator,
    path: `${users}/{id}/password-address`,
    summary: 'Remove the password of a user, who chooses another one at the returned address',
    description:
      'Ends all logins of the user, and all addresses from before. The address is good as that of inviteUser, and only while the user is not disabled.',
    params: Strict({ id: UserId }),
    response: PasswordAddress,
    errors: ['insufficient_permissions', 'not_found'],
  }),
}
