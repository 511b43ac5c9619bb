import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { Strict } from '../../schema.ts'

/** Form of the OAuth 2.0 password grant; `scope` and the client fields are accepted and ignored. */
export const TokenRequest = Strict({
  username: about('Login name.', Type.String({ minLength: 1, maxLength: 256 }), 'ada'),
  password: about('Password.', Type.String({ minLength: 1, maxLength: 256 }), 'correct horse battery'),
  grant_type: about('Grant of OAuth 2.0.', Type.Optional(Type.Literal('password'))),
  scope: about(
    'Accepted for OAuth 2.0 clients and ignored.',
    Type.Optional(Type.String({ maxLength: 256 })),
    '',
  ),
  client_id: about(
    'Accepted for OAuth 2.0 clients and ignored.',
    Type.Optional(Type.String({ maxLength: 256 })),
    '',
  ),
  client_secret: about(
    'Accepted for OAuth 2.0 clients and ignored.',
    Type.Optional(Type.String({ maxLength: 256 })),
    '',
  ),
})
export type TokenRequest = Static<typeof TokenRequest>

export const Token = Type.Object({
  access_token: about(
    'Signed JWT. Send it as `Authorization: Bearer`.',
    Type.String(),
    'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ1c3JfMDE5In0.c2lnbmF0dXJl',
  ),
  token_type: about('How the token is sent.', Type.Literal('bearer')),
  expires_in: about('Seconds until it expires.', Type.Integer({ minimum: 1 }), 3600),
})
export type Token = Static<typeof Token>
