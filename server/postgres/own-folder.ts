import { access, chmod, constants, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { newToken } from '../base/ids.ts'
import { type Account, accountOf } from './account.ts'
import { PostgresProblem } from './problem.ts'

/* The folder of the embedded Postgres, and the account of its server. */

/** Undefined: the caller, who is not root. */
export function serverAccount(user = 'sandbox-jobs-postgres'): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const account = accountOf(user)
  if (account && account.uid !== 0) return account
  throw new PostgresProblem(
    'account_missing',
    `there is no system user ${user} for Postgres: run install/service-user.sh`,
  )
}

/** Creates the folder, and verifies that the server's account can enter it. */
export async function ownFolder(dir: string, account: Account | undefined): Promise<void> {
  try {
    await mkdir(dir, { recursive: true })
    await access(dir, constants.R_OK | constants.W_OK | constants.X_OK)
    await chmod(dir, account ? 0o711 : 0o700)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new PostgresProblem('folder_unusable', `the Postgres folder ${dir} cannot be used: ${why}`, {
      cause,
    })
  }
  if (!account) return
  for (let parent = dirname(dir); parent !== '/'; parent = dirname(parent)) {
    const found = await stat(parent)
    const bit = found.uid === account.uid ? 0o100 : found.gid === account.gid ? 0o010 : 0o001
    if ((found.mode & bit) === 0) {
      throw new PostgresProblem(
        'folder_unusable',
        `the service user cannot enter ${parent}, which holds the Postgres folder ${dir}: choose another data folder, or chmod o+x ${parent}`,
      )
    }
  }
}

/** A random secret that is created once and readable only for the caller. */
export async function keptSecret(path: string): Promise<string> {
  const found = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw new PostgresProblem('folder_unusable', `${path} cannot be read: ${error.message}`, { cause: error })
  })
  if (found.trim()) return found.trim()
  const secret = newToken()
  const fresh = `${path}.new`
  await rm(fresh, { force: true })
  await writeFile(fresh, `${secret}\n`, { mode: 0o600, flag: 'wx', flush: true })
  await rename(fresh, path)
  return secret
}
