import { argon2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { newToken } from '../../base/ids.ts'

/*
 * Passwords are stored as argon2id in the PHC string format, which contains its parameters, so that the cost can be
 * raised later and old hashes still verify. A hash takes 19 MiB and some 35 ms of one core. Requests must hash
 * through `hashing.ts`, because otherwise a flood of logins would exhaust memory and cores for everyone.
 */

const cost = { memory: 19 * 1024, passes: 2, parallelism: 1 }
const saltBytes = 16
const tagBytes = 32

const derive = promisify(argon2)

interface Stored {
  memory: number
  passes: number
  parallelism: number
  salt: Buffer
  tag: Buffer
}

const tagOf = (password: string, { salt, ...parameters }: Omit<Stored, 'tag'>): Promise<Buffer> =>
  derive('argon2id', {
    message: Buffer.from(password.normalize('NFKC'), 'utf8'),
    nonce: salt,
    tagLength: tagBytes,
    ...parameters,
  })

const base64 = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '')

const render = ({ memory, passes, parallelism, salt, tag }: Stored): string =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`

const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

function read(text: string): Stored {
  const [, memory, passes, parallelism, salt, tag] = form.exec(text) ?? []
  if (!salt || !tag) throw new Error('a stored password hash is not argon2id in PHC form')
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

/** The hash of a new password, in stored form. */
export async function hashPassword(password: string): Promise<string> {
  const salt = Buffer.from(newToken(), 'base64url').subarray(0, saltBytes)
  return render({ ...cost, salt, tag: await tagOf(password, { ...cost, salt }) })
}

/** Hash of no user: an unknown login, and one without a password, cost as much as others. */
const nobody: Stored = { ...cost, salt: Buffer.alloc(saltBytes), tag: Buffer.alloc(tagBytes) }

/** Whether the password is correct. Without a stored hash the work is the same and the result is false. */
export async function verifyPassword(password: string, stored: string | null | undefined): Promise<boolean> {
  const expected = stored ? read(stored) : nobody
  const tag = await tagOf(password, expected)
  return timingSafeEqual(tag, expected.tag) && Boolean(stored)
}
