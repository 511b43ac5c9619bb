import { PlainError } from '../../base/errors/plain-error.ts'

/* Parts of a program that platforms send, checked. All throw 400. */

const pathMaxBytes = 255
const folderDepthMax = 8
const argsMax = 256

const refuse = (message: string) => new PlainError(400, message)

/** A path below a folder: no way out of it, no control character. `what` names the field. */
export function requirePath(path: string, what: string): string {
  const parts = path.split('/')
  const isPlain =
    Buffer.byteLength(path) <= pathMaxBytes &&
    parts.length <= folderDepthMax &&
    parts.every((part) => part !== '' && part !== '.' && part !== '..') &&
    !/[\p{Cc}\\]/u.test(path) &&
    path.isWellFormed()
  if (!isPlain) throw refuse(`${what} must be a relative path of at most ${pathMaxBytes} bytes`)
  return path
}

/** Arguments of a program, as texts. */
export function requireArguments(args: unknown): string[] {
  if (!Array.isArray(args) || args.length > argsMax)
    throw refuse(`args must be an array of at most ${argsMax} strings`)
  return args.map((arg: unknown) => {
    const text = typeof arg === 'number' ? String(arg) : arg
    if (typeof text !== 'string' || text.includes('\0')) throw refuse('args must be an array of strings')
    return text
  })
}
