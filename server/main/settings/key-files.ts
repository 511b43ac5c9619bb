import { lstatSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { keysFolder } from '../../base/keys/keys.ts'
import { signingKeysFolder } from '../../base/keys/signing-keys.ts'
import { secretKeysFolder } from '../../secrets/keys/local-keys.ts'
import { gatewayKeyPath } from '../cluster/gateway-key-path.ts'
import type { ServiceAccounts } from '../supervisor/host/service-accounts.ts'
import { type Finding, problem } from './finding.ts'

/**
 * Faults of the key files of the data folder, of which a start sets the owner of the folders alone. Nothing of an account's
 * folder is opened.
 */
export function checkKeyFiles(dataDir: string, accounts: ServiceAccounts): Finding[] {
  const owners = [
    { folder: keysFolder(dataDir), account: accounts.api, role: 'API' },
    { folder: signingKeysFolder(dataDir), account: accounts.worker, role: 'worker' },
    { folder: secretKeysFolder(dataDir), account: accounts.worker, role: 'worker' },
    { folder: dirname(gatewayKeyPath(dataDir)), account: accounts.worker, role: 'worker' },
  ]
  return owners.flatMap(({ folder, account, role }) =>
    namesIn(folder).flatMap((name) => {
      const path = join(folder, name)
      const stats = lstatSync(path, { throwIfNoEntry: false })
      if (!stats?.isFile()) return []
      return stats.uid === account.uid
        ? []
        : [problem(`${path} belongs to another user than that of the ${role}`)]
    }),
  )
}

/** None of a folder that the first start makes. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}
