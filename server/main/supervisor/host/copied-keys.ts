import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { keysFolder } from '../../../base/keys/keys.ts'
import { signingKeysFolder } from '../../../base/keys/signing-keys.ts'
import { callbackKeyPath } from '../../../custom-tables/policies/callback-key.ts'
import { LocalKeys, secretKeysFolder } from '../../../secrets/keys/local-keys.ts'
import { exitCodes, ServiceProblem } from '../service-problem.ts'

const ofApi = ['root.key', 'token-signing.pem', 'link-signing.pem', 'transit-rsa.pem', 'secret-pepper.key']

/**
 * Throws if the data folder lacks a key, which the service would make, or one of `more`. A machine of another one's deployment gets all
 * by copy.
 */
export function requireKeys(dataDir: string, more: readonly string[]): void {
  const missing = [...missingKeys(dataDir), ...more.filter((path) => !existsSync(path))]
  if (missing.length === 0) return
  throw new ServiceProblem(
    exitCodes.dataFolder,
    `SANDBOX_MAKE_KEYS=false, and keys are missing: ${missing.join(', ')}. Run sandbox operator keys make on the first machine, copy its folder ${join(dataDir, 'keys')} here, and give the files to the user of SANDBOX_SERVICE_USER`,
  )
}

function missingKeys(dataDir: string): string[] {
  const files = [
    ...ofApi.map((name) => join(keysFolder(dataDir), name)),
    join(signingKeysFolder(dataDir), 'signing.pem'),
    callbackKeyPath(dataDir),
  ]
  const secrets = secretKeysFolder(dataDir)
  const hasSecretKey = new LocalKeys(secrets).numbers().length > 0
  return [...files.filter((path) => !existsSync(path)), ...(hasSecretKey ? [] : [join(secrets, '1.key')])]
}
