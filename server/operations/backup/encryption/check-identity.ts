import { readFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { CheckedBackup } from '../check-backup.ts'
import { nowhere } from '../streams.ts'
import { EncryptionProblem } from './age.ts'
import { contentOf, isEncrypted, plainPath } from './backup-files.ts'

/** Whether the text of an identity has a key that age can read without a passphrase. */
export const hasSecretKey = (text: string): boolean => /^AGE-SECRET-KEY-1/m.test(text)

export const noSecretKey =
  'has no AGE-SECRET-KEY: decrypt an identity that has a passphrase with age --decrypt'

/**
 * Throws an `EncryptionProblem` if the identity does not open an encrypted backup, before anything is restored. One file shows it:
 * all are encrypted to the same recipients. An identity with a passphrase is refused, which age would ask for at each file.
 */
export async function checkIdentity(
  { source, manifest, files }: CheckedBackup,
  identityFile: string | undefined,
): Promise<void> {
  if (!isEncrypted(manifest)) return
  if (identityFile === undefined)
    throw new EncryptionProblem('the backup is encrypted, and no identity is named')
  const text = await readFile(identityFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new EncryptionProblem(`${identityFile} cannot be read (${error.code})`)
  })
  if (!hasSecretKey(text)) throw new EncryptionProblem(`${identityFile} ${noSecretKey}`)
  const [first, ...others] = files
  if (!first) return
  const smallest = others.reduce((a, b) => (b.byteSize < a.byteSize ? b : a), first)
  const content = contentOf({ source, manifest, identityFile }, plainPath(smallest.path, manifest))
  await pipeline([...content, nowhere()])
}
