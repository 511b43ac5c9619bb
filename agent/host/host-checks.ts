import { access, constants, readdir, readFile } from 'node:fs/promises'
import { builtFolder, readManifest, sourcesDigest } from '../../server/native-programs/manifest.ts'
import type { SandboxRuntime } from '../port/sandbox-spec.ts'
import { type CgroupLayout, detectCgroups } from './cgroup-layout.ts'
import { rootsOf } from './cgroups.ts'
import { fileSystemSupport } from './file-systems.ts'
import { gvisorCheck } from './gvisor.ts'
import type { HostCheck } from './host-check.ts'
import { capabilitiesCheck, ownProcCheck } from './rights-checks.ts'

export const hostPrograms = {
  crun: ['/usr/bin/crun', '/usr/local/bin/crun'],
  busybox: ['/bin/busybox', '/usr/bin/busybox'],
  mkfs: ['/usr/sbin/mkfs.ext4', '/sbin/mkfs.ext4'],
}

/** The first of `candidates` that can be executed. */
export async function findProgram(candidates: string[]): Promise<string | undefined> {
  for (const path of candidates) {
    const found = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (found) return path
  }
  return undefined
}

/** Checks everything that the host agent needs to run jobs on `runtimes`. Changes nothing; needs no privilege. */
export async function checkHost(runtimes: readonly SandboxRuntime[]): Promise<HostCheck[]> {
  return Promise.all([
    programCheck('crun', hostPrograms.crun, 'apt-get install crun'),
    ...(runtimes.includes('runsc') ? [gvisorCheck()] : []),
    busyboxCheck(),
    nativeProgramsCheck(),
    programCheck('mkfs.ext4', hostPrograms.mkfs, 'apt-get install e2fsprogs'),
    capabilitiesCheck(),
    cgroupCheck(),
    namespacesCheck(),
    userNamespaceCheck(),
    ownProcCheck(),
    kernelCheck(),
    overlayCheck(),
    loopCheck(),
    seccompCheck(),
  ])
}

async function programCheck(name: string, candidates: string[], advice: string): Promise<HostCheck> {
  const path = await findProgram(candidates)
  return { name, ok: path !== undefined, found: path ?? 'not found', advice: path ? '' : advice }
}

async function busyboxCheck(): Promise<HostCheck> {
  const path = await findProgram(hostPrograms.busybox)
  const isStatic = path !== undefined && (await isStaticProgram(path))
  return {
    name: 'busybox',
    ok: isStatic,
    found: path === undefined ? 'not found' : isStatic ? path : `${path}, linked to libraries`,
    advice: isStatic ? '' : 'apt-get install busybox-static (the shell of images that have none)',
  }
}

const interpreterHeader = 3

/** True for a static ELF file. */
async function isStaticProgram(path: string): Promise<boolean> {
  const file = await readFile(path)
  if (file.length < 64 || file.readUInt32BE(0) !== 0x7f454c46) return false
  const start = Number(file.readBigUInt64LE(32))
  const size = file.readUInt16LE(54)
  const kinds = Array.from({ length: file.readUInt16LE(56) }, (_, at) => file.readUInt32LE(start + at * size))
  return !kinds.includes(interpreterHeader)
}

async function nativeProgramsCheck(): Promise<HostCheck> {
  const manifest = readManifest(builtFolder)
  const ok = manifest?.sources === sourcesDigest()
  return {
    name: 'native programs',
    ok,
    found: ok ? 'built' : manifest ? 'built from other sources' : 'not built',
    advice: ok ? '' : 'run install/native.sh',
  }
}

async function cgroupCheck(): Promise<HostCheck> {
  const layout = await detectCgroups()
  const readOnly = layout && (await readOnlyFolder(layout))
  if (readOnly) {
    const advice = `mount -o remount,bind,rw ${readOnly} (in a container, which has to be given control groups)`
    return { name: 'control groups', ok: false, found: `${readOnly} is read-only`, advice }
  }
  return {
    name: 'control groups',
    ok: layout !== undefined,
    found: layout
      ? `version ${layout.version}`
      : 'memory, cpu, pids or (version 1) devices controller missing',
    advice: layout
      ? ''
      : 'boot with cgroup_enable=memory, and let the root group delegate memory, cpu and pids (version 1: mount devices too)',
  }
}

async function readOnlyFolder(layout: CgroupLayout): Promise<string | undefined> {
  for (const folder of rootsOf(layout)) {
    const isReadOnly = await access(folder, constants.W_OK).then(
      () => false,
      (error: NodeJS.ErrnoException) => error.code === 'EROFS',
    )
    if (isReadOnly) return folder
  }
  return undefined
}

const namespaceKinds = 'cgroup ipc mnt net pid time user uts'.split(' ')

async function namespacesCheck(): Promise<HostCheck> {
  const known = await readdir('/proc/self/ns')
  const missing = namespaceKinds.filter((kind) => !known.includes(kind))
  return {
    name: 'namespaces',
    ok: missing.length === 0,
    found: missing.length === 0 ? 'of every kind' : `none of kind ${missing.join(', ')}`,
    advice: missing.length === 0 ? '' : 'a kernel that is built with namespaces of every kind',
  }
}

async function userNamespaceCheck(): Promise<HostCheck> {
  const limit = Number(await readFile('/proc/sys/user/max_user_namespaces', 'utf8').catch(() => '0'))
  return {
    name: 'user namespaces',
    ok: limit > 0,
    found: `at most ${limit}`,
    advice: limit > 0 ? '' : 'sysctl -w user.max_user_namespaces=65536',
  }
}

/** Idmapped mounts came in 5.12, overlay above them in 5.19. */
async function kernelCheck(): Promise<HostCheck> {
  const release = (await readFile('/proc/sys/kernel/osrelease', 'utf8')).trim()
  const [major = 0, minor = 0] = release.split('.').map(Number)
  const ok = major > 5 || (major === 5 && minor >= 19)
  return { name: 'kernel', ok, found: release, advice: ok ? '' : 'a kernel of 5.19 or later' }
}

async function overlayCheck(): Promise<HostCheck> {
  const support = await fileSystemSupport('overlay')
  const ok = support !== 'unknown'
  return {
    name: 'overlay',
    ok,
    found: support === 'module' ? 'a module, loaded when it is needed' : support,
    advice: ok ? '' : 'a kernel with the overlay file system, built in or as a module that it may load',
  }
}

async function loopCheck(): Promise<HostCheck> {
  const ok = await access('/dev/loop-control').then(
    () => true,
    () => false,
  )
  return {
    name: 'loop devices',
    ok,
    found: ok ? '/dev/loop-control' : 'none',
    advice: ok ? '' : 'modprobe loop (the size-capped disk of a build)',
  }
}

async function seccompCheck(): Promise<HostCheck> {
  const ok = await access('/proc/sys/kernel/seccomp/actions_avail').then(
    () => true,
    () => false,
  )
  return {
    name: 'seccomp',
    ok,
    found: ok ? 'known' : 'unknown',
    advice: ok ? '' : 'a kernel with CONFIG_SECCOMP_FILTER',
  }
}
