import { type Static, Type } from 'typebox'
import { Strict } from '../schema.ts'

export const OperatorSignInRequest = Strict({
  /** The part of the printed address behind `#`. */
  code: Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' }),
})
export type OperatorSignInRequest = Static<typeof OperatorSignInRequest>

/** With `read_only` the screens show everything, and the server refuses all acts. */
export type OperatorAccess = 'full' | 'read_only'

export interface OperatorSignIn {
  /** On the machine, of the person who asked for the code. */
  account: string
  access: OperatorAccess
  expires_at: string
}
