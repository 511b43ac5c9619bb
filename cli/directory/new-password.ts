import { randomBytes } from 'node:crypto'

/** A password that nobody guesses; 144 bits. */
export const newPassword = (): string => randomBytes(18).toString('base64url')
