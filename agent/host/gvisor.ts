import { execFile } from 'node:child_process'
import { access, constants, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { HostCheck } from './host-check.ts'

/**
 * Possible paths of runsc. The first is that of install/runsc.sh: the package of Debian 12 is too old for Debian 12's own
 * programs.
 */
const paths = ['/usr/local/lib/sandbox-jobs/runsc', '/usr/local/bin/runsc', '/usr/bin/runsc']

/** The first release that works with the programs of Debian 12 and has the systrap platform. */
export const gvisorReleaseMin = 20240729

export interface GvisorProgram {
  path: string
  /** The release date: 20240729. */
  release: number
}

/** The installed runsc programs, in the order of `places`; a program that prints no release is not runsc. */
export async function gvisorPrograms(candidates: readonly string[] = paths): Promise<GvisorProgram[]> {
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

/** Debian prints `runsc version 0.0~20240729.0`, upstream `runsc version release-20240729.0`. */
async function releaseOf(path: string): Promise<number | undefined> {
  const { stdout } = await promisify(execFile)(path, ['--version'], { env: {}, timeout: 10_000 }).catch(
    () => ({
      stdout: '',
    }),
  )
  const [, date] = /^runsc version \D*(?:0\.0~)?(\d{8})\b/.exec(stdout) ?? []
  return date === undefined ? undefined : Number(date)
}

/** The runsc that sandboxes use; undefined if none is new enough. */
export async function findGvisor(): Promise<string | undefined> {
  return (await gvisorPrograms()).find(({ release }) => release >= gvisorReleaseMin)?.path
}

const traceScope = '/proc/sys/kernel/yama/ptrace_scope'
const noTracing = 3
const advice = `install/runsc.sh, which takes it out of Debian 13 and leaves the system's packages as they are`

/**
 * gVisor traces the processes in which it runs programs; the machine's Yama module can forbid that.
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
