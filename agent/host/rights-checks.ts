import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { HostCheck } from './host-check.ts'

/*
 * Rights that root has on a machine, and that root in a container has only if the container was given them.
 */

/** Capabilities of the agent, its shims and the service's processes, with their numbers in linux/capability.h. */
const neededCapabilities: Record<string, number> = {
  CHOWN: 0,
  DAC_OVERRIDE: 1,
  FOWNER: 3,
  FSETID: 4,
  KILL: 5,
  SETGID: 6,
  SETUID: 7,
  SETPCAP: 8,
  NET_BIND_SERVICE: 10,
  NET_ADMIN: 12,
  SYS_CHROOT: 18,
  SYS_PTRACE: 19,
  SYS_ADMIN: 21,
  SYS_TIME: 25,
  MKNOD: 27,
  SETFCAP: 31,
}

const advice = 'docs/operations/container.md says what a container has to be given'

export async function capabilitiesCheck(): Promise<HostCheck> {
  const status = await readFile('/proc/self/status', 'utf8')
  // The bound of what root can have: users without privileges see it too.
  const bound = BigInt(`0x${/^CapBnd:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? 0}`)
  const missing = Object.entries(neededCapabilities)
    .filter(([, bit]) => ((bound >> BigInt(bit)) & 1n) === 0n)
    .map(([name]) => name)
  const ok = missing.length === 0
  return {
    name: 'capabilities',
    ok,
    found: ok ? 'all that are needed' : `without ${missing.join(', ')}`,
    advice: ok ? '' : advice,
  }
}

/** Namespaces of a sandbox, with the mount that the kernel refuses where a part of this /proc is covered. */
const ownProc = ['--user', '--map-root-user', '--mount', '--pid', '--fork', '--mount-proc', 'true']

/** Makes the namespaces of a sandbox for a moment, as only root can everywhere. */
export async function ownProcCheck(): Promise<HostCheck> {
  const name = 'sandbox mounts'
  if (process.getuid?.() !== 0) return { name, ok: true, found: 'not tried, since only root can', advice: '' }
  try {
    await promisify(execFile)('/usr/bin/unshare', ownProc)
    return { name, ok: true, found: 'permitted', advice: '' }
  } catch (error) {
    const { stderr } = error as { stderr?: string }
    const found = stderr?.trim().split('\n')[0] || 'unshare of util-linux cannot be run'
    return { name, ok: false, found, advice }
  }
}
