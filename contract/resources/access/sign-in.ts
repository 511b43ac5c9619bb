import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { SignInId } from '../../identifiers.ts'
import { Identifier } from '../../ids.ts'
import { signInsOfPersonMax } from '../../limits.ts'
import { Count, DateTime, OneOf, Strict } from '../../schema.ts'

export const signInClientMaxLength = 80

export const signInWays = ['password', 'provider'] as const

export const SignInRequest = Strict({
  username: about('Login name.', Type.String({ minLength: 1, maxLength: 256 }), 'ada'),
  password: about('Password.', Type.String({ minLength: 1, maxLength: 256 }), 'correct horse battery'),
})
export type SignInRequest = Static<typeof SignInRequest>

/** A browser in which a person is signed in to the console. */
export const SignIn = Type.Object({
  id: SignInId,
  created_at: about('When the person signed in.', DateTime),
  last_used_at: about('When it was last used, to the minute.', DateTime),
  expires_at: about(
    'When it ends unless it is used before: 8 hours after its last use, and at most 7 days after its start.',
    DateTime,
  ),
  client: about(
    'Name of the browser, as it says itself.',
    Type.String({ maxLength: signInClientMaxLength }),
    'Firefox on Linux',
  ),
  address: about('Address that the person signed in from.', Type.String(), '203.0.113.7'),
  by: about('How the person signed in: with a password, or at the identity provider.', OneOf(signInWays)),
  is_current: about('Whether this request is made in it.', Type.Boolean(), true),
})
export type SignIn = Static<typeof SignIn>

export const SignInList = Type.Object({
  items: about(
    'The live sign-ins, the last used first.',
    Type.Array(SignIn, { maxItems: signInsOfPersonMax }),
  ),
})
export type SignInList = Static<typeof SignInList>

export const SignInsEndRequest = Strict({
  which: about(
    '`current`: that of the request. `others`: all but that one, which are all for a request with a token or a key. Or the id of one.',
    Identifier,
    'current',
  ),
})
export type SignInsEndRequest = Static<typeof SignInsEndRequest>

export const SignInsEnded = Type.Object({
  ended: about('Sign-ins that the request ended; 0 if there was none.', Count, 1),
})
export type SignInsEnded = Static<typeof SignInsEnded>

export const SignInProvider = Type.Object({
  name: about('Name of the identity provider, as the operator gave it.', Type.String(), 'Example Login'),
})
export type SignInProvider = Static<typeof SignInProvider>
