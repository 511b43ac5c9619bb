import { execFileSync } from 'node:child_process'

/** A system account by its numeric ids. */
export interface Account {
  uid: number
  gid: number
  /** Supplementary groups. */
  groups?: number[]
}

/**
 * The account with that name; undefined when this machine has none. `id` queries every source that the machine uses.
 */
export function accountOf(user: string): Account | undefined {
  const ask = (flag: string) =>
    Number(execFileSync('id', [flag, '--', user], { stdio: ['ignore', 'pipe', 'ignore'] }))
  try {
    return { uid: ask('-u'), gid: ask('-g') }
  } catch {
    return undefined
  }
}

/**
 * Argument list that runs `argv` as `account` without any privilege of root, and optionally ends it with its parent.
 */
export function asAccount(
  account: Account | undefined,
  argv: string[],
  parentDeathSignal?: string,
): string[] {
  const flags: string[] = ['--no-new-privs']
  if (account) {
    const groups = account.groups?.length ? `--groups=${account.groups.join()}` : '--clear-groups'
    flags.push(`--reuid=${account.uid}`, `--regid=${account.gid}`, groups, '--inh-caps=-all')
  }
  if (parentDeathSignal) flags.push(`--pdeathsig=${parentDeathSignal}`)
  return ['setpriv', ...flags, '--', ...argv]
}
