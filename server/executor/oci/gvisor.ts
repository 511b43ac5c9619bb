import { execFile } from 'node:child_process'
import { access, constants, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { HostCheck } from './host-checks.ts'

/**
 * Where runsc may be. The first is ours (install/runsc.sh): the package of Debian 12 holds an older release than its own
 * programs need.
 */
const places = ['/usr/local/lib/sandbox-jobs/runsc', '/usr/local/bin/runsc', '/usr/bin/runsc']

/** The first release with which the programs of Debian 12 work, and that has the platform which we start. */
export const gvisorReleaseMin = 20240729

export interface GvisorProgram {
  path: string
  /** The date that it is known by: 20240729. */
  release: number
}

/** What there is of runsc, in the order of `places`; one that does not tell its release is not runsc. */
export async function gvisorPrograms(candidates: readonly string[] = places): Promise<GvisorProgram[]> {
  const found: GvisorProgram[] = []
  for (const path of candidates) {
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
    const release = isThere ? await releaseOf(path) : undefined
    if (release !== undefined) found.push({ path, release })
  }
  return found
}

/** Debian says `runsc version 0.0~20240729.0`, the makers `runsc version release-20240729.0`. */
async function releaseOf(path: string): Promise<number | undefined> {
  const { stdout } = await promisify(execFile)(path, ['--version'], { env: {}, timeout: 10_000 }).catch(
    () => ({
      stdout: '',
    }),
  )
  const [, date] = /^runsc version \D*(?:0\.0~)?(\d{8})\b/.exec(stdout) ?? []
  return date === undefined ? undefined : Number(date)
}

/** The one that sandboxes run on; undefined: none is new enough. */
export async function findGvisor(): Promise<string | undefined> {
  return (await gvisorPrograms()).find(({ release }) => release >= gvisorReleaseMin)?.path
}

const traceScope = '/proc/sys/kernel/yama/ptrace_scope'
const noTracing = 3
const advice = `install/runsc.sh, which takes it out of Debian 13 and leaves the system's packages as they are`

/**
 * gVisor makes the processes that it runs programs in by tracing them, which the machine's Yama module can forbid to all.
 */
export async function gvisorCheck(programs?: GvisorProgram[]): Promise<HostCheck> {
  const all = programs ?? (await gvisorPrograms())
  const usable = all.find(({ release }) => release >= gvisorReleaseMin)
  if (!usable) {
    const [old] = all
    const found = old
      ? `${old.path} is release ${old.release}, with which ls and stat fail in images of Debian 12; ${gvisorReleaseMin} is needed`
      : 'not found'
    return { name: 'runsc', ok: false, found, advice }
  }
  const found = `${usable.path}, release ${usable.release}`
  const scope = Number(await readFile(traceScope, 'utf8').catch(() => '0'))
  if (scope < noTracing) return { name: 'runsc', ok: true, found, advice: '' }
  return {
    name: 'runsc',
    ok: false,
    found: 'tracing is forbidden',
    advice: `boot with ${traceScope} below 3`,
  }
}
