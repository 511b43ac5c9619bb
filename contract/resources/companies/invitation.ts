import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { DateTime } from '../../schema.ts'
import { User, UserCreateRequest } from './user.ts'

/** A new person, who chooses the password. */
export const InvitationRequest = Type.Omit(UserCreateRequest, ['password'], { additionalProperties: false })
export type InvitationRequest = Static<typeof InvitationRequest>

export const PasswordAddress = Type.Object({
  user: about('The person that it is for.', User),
  address: about(
    'Address of the page on which the person chooses a password. It is good once.',
    Type.String(),
    'https://jobs.example.com/password?token=sbx1.password-address.…',
  ),
  expires_at: about('Until when it is good.', DateTime),
})
export type PasswordAddress = Static<typeof PasswordAddress>
