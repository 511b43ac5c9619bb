import { inputOf } from '../agent/port/start-input.ts'

/** For sandboxes whose programs read nothing. */
export const noInput = inputOf(Buffer.alloc(0))
