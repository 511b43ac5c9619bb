import { readFile } from 'node:fs/promises'
import { holdsPublicKey } from '@sandbox-jobs/server/main/verify/verify-image.ts'
import { CliError, exitCodes } from '../failure.ts'

/** The text of a file with trusted public keys. */
export async function readKeys(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => '')
  if (holdsPublicKey(text)) return text
  throw new CliError(`${path} contains no public key.`, {
    hint: 'It must be PEM: -----BEGIN PUBLIC KEY-----.',
    code: 'cli_usage',
    exitCode: exitCodes.usage,
  })
}
