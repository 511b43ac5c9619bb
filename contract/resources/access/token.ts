import { type Static, Type } from 'typebox'
import { Strict } from '../../schema.ts'

/** Form of the OAuth 2.0 password grant; `scope` and the client fields are accepted and ignored. */
export const TokenRequest = Strict({
  username: Type.String({ minLength: 1, maxLength: 256 }),
  password: Type.String({ minLength: 1, maxLength: 256 }),
  grant_type: Type.Optional(Type.Literal('password')),
  scope: Type.Optional(Type.String({ maxLength: 256 })),
  client_id: Type.Optional(Type.String({ maxLength: 256 })),
  client_secret: Type.Optional(Type.String({ maxLength: 256 })),
})
export type TokenRequest = Static<typeof TokenRequest>

export const Token = Type.Object({
  access_token: Type.String(),
  token_type: Type.Literal('bearer'),
  /** Seconds. */
  expires_in: Type.Integer({ minimum: 1 }),
})
export type Token = Static<typeof Token>
