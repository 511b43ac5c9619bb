import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { hasCode } from '../errors/has-code.ts'
import { keepFirst, privateMode } from './key-files.ts'

/* Files with one symmetric key of 256 bits as 64 hex digits and a line feed. */

const hexKey = /^[0-9a-f]{64}\n?$/
const fileMaxBytes = 65
/** Only the owner may write the file, the group may read it, others have no access. */
const refusedMode = 0o037

/** The file of a key is missing, readable or writable for more than its users, or does not contain a key. */
export class KeyFileDamaged extends Error {
  override readonly name = 'KeyFileDamaged'
}

/** Throws `KeyFileDamaged`, whose message names the file and never its content. */
export function readHexKey(path: string): KeyObject {
  const key = readIfThere(path)
  if (!key) throw new KeyFileDamaged(`${path} is missing`)
  return key
}

/** Like `readHexKey`; creates and syncs the key if there is no file. */
export function readOrMakeHexKey(path: string, mode = privateMode): KeyObject {
  const key = readIfThere(path)
  if (key) return key
  makeHexKey(path, mode)
  return readHexKey(path)
}

/** Does nothing if the file exists. */
export const makeHexKey = (path: string, mode = privateMode): void =>
  void keepFirst(path, `${randomBytes(32).toString('hex')}\n`, mode)

function readIfThere(path: string): KeyObject | undefined {
  let file: number
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw new KeyFileDamaged(`${path} cannot be read`, { cause: error })
  }
  try {
    return readKey(path, file)
  } finally {
    closeSync(file)
  }
}

function readKey(path: string, file: number): KeyObject {
  const found = fstatSync(file)
  if (!found.isFile()) throw new KeyFileDamaged(`${path} must be a file`)
  if ((found.mode & refusedMode) !== 0)
    throw new KeyFileDamaged(`${path} must have mode 600, or 640 where two users of the service need it`)
  const content = Buffer.alloc(fileMaxBytes + 1)
  const text = content.toString('latin1', 0, readSync(file, content))
  content.fill(0)
  if (!hexKey.test(text)) throw new KeyFileDamaged(`${path} must hold 64 hex digits`)
  return createSecretKey(Buffer.from(text.trim(), 'hex'))
}
