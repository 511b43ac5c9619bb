import type { ShownGroups } from '../host/cgroups.ts'
import { rangeSize } from '../host/id-ranges.ts'
import { stagingFolder } from '../host/paths.ts'
import type { SandboxSpec } from '../port/sandbox-spec.ts'
import type { CompiledFilters } from './compiled-filters.ts'
import type { OciMount, OciSpec } from './oci-spec.ts'
import { procfsOverlayFiles } from './procfs-overlay.ts'
import { statusDescriptor } from './runtimes.ts'
import { seccompProfile } from './seccomp.ts'

/** Capabilities that buildah needs over its own files, inside its own user namespace. */
const buildCapabilities =
  `CHOWN DAC_OVERRIDE FOWNER FSETID KILL SETGID SETUID SETPCAP SETFCAP SYS_CHROOT SYS_ADMIN
  MKNOD`
    .split(/\s+/)
    .map((name) => `CAP_${name}`)

/** Capabilities that the unpacker needs to set the owners that the image names. */
const unpackCapabilities = ['CAP_CHOWN', 'CAP_DAC_OVERRIDE', 'CAP_FOWNER', 'CAP_FSETID']

/** `unpack` is internal to the agent: it writes an image's files inside a sandbox. */
export type Confinement = SandboxSpec['confinement'] | 'unpack'

const capabilitiesOf: Record<Confinement, string[]> = {
  job: [],
  build: buildCapabilities,
  unpack: unpackCapabilities,
}

const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Each costs a mount at every start, so files that only the host's root can read are not in the list. */
const hiddenPaths = `/proc/acpi /proc/asound /proc/kcore /proc/keys /proc/latency_stats /proc/timer_list
  /proc/sched_debug /proc/scsi /proc/interrupts /proc/bus /proc/partitions /sys/firmware /sys/devices/virtual/powercap`.split(
  /\s+/,
)
const readOnlyPaths = '/proc/fs /proc/irq /proc/sys /proc/sysrq-trigger'.split(' ')

const namespaces = ['user', 'pid', 'mount', 'ipc', 'uts', 'cgroup']

/** crun and the launcher stay in the namespace in which they were started; runsc makes a new one unless the spec names one. */
function networkNamespace({ network, runtime }: SandboxSpec): { type: 'network'; path?: string }[] {
  if (network === 'none') return [{ type: 'network' }]
  return runtime === 'runsc' ? [{ type: 'network', path: '/proc/self/ns/net' }] : []
}

interface SpecOptions {
  /** The first host id of the sandbox's range. */
  idBase: number
  arch: string
  confinement: Confinement
  /** Absent: the runtime compiles its filter from the profile. */
  filters?: CompiledFilters
  /** Its control groups that are in its view; absent: it has no view of any. */
  groups?: ShownGroups
}

/**
 * The OCI runtime specification of a sandbox, the same for every runtime. Pure. The root is the overlay that the shim
 * mounts; the shim sets the limits, in control groups in which it starts the runtime.
 */
export function ociSpec(
  spec: SandboxSpec,
  { idBase, arch, confinement, filters, groups }: SpecOptions,
): OciSpec {
  const build = confinement === 'build'
  const profile = build ? 'build' : 'job'
  const gvisor = spec.runtime === 'runsc'
  const compiled = gvisor ? undefined : filters?.[profile]
  const capabilities = capabilitiesOf[confinement]
  const ids = [{ containerID: 0, hostID: idBase, size: rangeSize }]
  return {
    ociVersion: '1.0.0',
    root: { path: `${stagingFolder}/root`, readonly: false },
    hostname: spec.hostname,
    process: {
      terminal: false,
      // 1. Process 1 is the platform's: it starts the program and reports its end.
      args: ['/.sandbox/init', String(statusDescriptor[spec.runtime]), ...spec.argv],
      // Without HOME the runtime would look for it in the image's /etc/passwd, which is the tenant's; with an empty one process 1
      // does, inside (native/init/account.c).
      env: Object.entries({ PATH: defaultPath, HOME: '', ...spec.env }).map(
        ([name, value]) => `${name}=${value}`,
      ),
      cwd: '/workspace',
      user: { uid: spec.user.uid, gid: spec.user.gid, umask: 0o022 },
      // 2. A job has no capability, not even over its own files; a build has those that unpack images.
      capabilities: {
        bounding: capabilities,
        effective: capabilities,
        inheritable: [],
        permitted: capabilities,
        ambient: [],
      },
      // 3. Executing a file adds no privilege.
      noNewPrivileges: true,
      // 4. Limits per process.
      rlimits: [
        { type: 'RLIMIT_NOFILE', hard: spec.limits.openFiles, soft: Math.min(spec.limits.openFiles, 1024) },
        // 1 is the only limit at which the kernel also does not start the host's core_pattern program; 0 would start it.
        { type: 'RLIMIT_CORE', hard: 1, soft: 1 },
        // The kernel also counts these for the creator of the namespace, the host's root.
        { type: 'RLIMIT_SIGPENDING', hard: 1024, soft: 1024 },
        { type: 'RLIMIT_MSGQUEUE', hard: 100_000, soft: 100_000 },
        // Locked pages of a shared file would be charged to the sandbox that read it first.
        { type: 'RLIMIT_MEMLOCK', hard: 0, soft: 0 },
        // For gVisor, which counts processes itself; under crun the control group does, and this limit counts per user.
        ...(gvisor ? [{ type: 'RLIMIT_NPROC', hard: spec.limits.pids + 1, soft: spec.limits.pids + 1 }] : []),
      ],
    },
    // 5. New special file systems on the platform's folders; no host path among them.
    mounts: [
      ...jobMounts(spec),
      ...procfsOverlayFiles(spec.runtime).map(procMount),
      ...(confinement === 'job' && !gvisor && groups ? groupMounts(groups) : []),
      ...(gvisor ? gvisorMounts : []),
    ],
    linux: {
      // 6. A namespace of every kind. The network namespace has an unconnected loopback only, or it is the one that the shim
      // has entered: made by the agent and owned by the host, so the sandbox has no rights over it.
      namespaces: [...namespaces.map((type) => ({ type })), ...networkNamespace(spec)],
      // 7. Ids that no one else on the machine has: root inside has no rights outside.
      uidMappings: ids,
      gidMappings: ids,
      // 8. The parts of /proc that show or change the host. gVisor's own /proc lacks them.
      maskedPaths: hiddenPaths,
      readonlyPaths: readOnlyPaths,
      // 9. Ports below 1024 without a capability, where the runtime makes the network namespace; that of a link has it already
      // (native/links/links.c). gVisor asks for none.
      ...(spec.network === 'none' && !gvisor
        ? { sysctl: { 'net.ipv4.ip_unprivileged_port_start': '0' } }
        : {}),
      // 10. Only the system calls that programs need. crun and the launcher get the filter below instead, compiled from the same
      // profile: to read both would take crun a sixth of its time. Process 1 starts nothing without a filter (native/init/init.c).
      ...(compiled === undefined && {
        seccomp: seccompProfile({ confinement: profile, arch, runtime: spec.runtime }),
      }),
    },
    annotations: compiled === undefined ? {} : { 'run.oci.seccomp_bpf_data': compiled },
  }
}

/** Half of the memory, in which it counts: shared memory that is full is an error, and memory that is full ends the program. */
const sharedMemoryKib = ({ limits }: SandboxSpec) =>
  Math.floor((limits.shownMemoryBytes ?? limits.memoryBytes) / 2 / 1024)

const jobMounts = (spec: SandboxSpec): OciMount[] => [
  { destination: '/proc', type: 'proc', source: 'proc', options: ['nosuid', 'noexec', 'nodev'] },
  {
    destination: '/dev',
    type: 'tmpfs',
    source: 'tmpfs',
    options: ['nosuid', 'noexec', 'strictatime', 'mode=755', 'size=64k', 'nr_inodes=64'],
  },
  {
    destination: '/dev/shm',
    type: 'tmpfs',
    source: 'shm',
    options: ['nosuid', 'noexec', 'nodev', 'mode=1777', `size=${sharedMemoryKib(spec)}k`, 'nr_inodes=4096'],
  },
  // The terminals of all sandboxes count against one limit of the kernel (kernel.pty.max, 4096).
  {
    destination: '/dev/pts',
    type: 'devpts',
    source: 'devpts',
    options: ['nosuid', 'noexec', 'newinstance', 'ptmxmode=0666', 'mode=0620', 'max=16'],
  },
]

/** The shim makes the file at this source (native/shim/confine/mounts.c). */
const procMount = (name: string): OciMount => ({
  destination: `/proc/${name}`,
  type: 'bind',
  source: `${stagingFolder}/proc/${name}`,
  options: ['bind', 'ro', 'nosuid', 'nodev', 'noexec'],
})

/**
 * The view of control groups that programs look for, by the types in the list of mounts and by the type of file system of
 * /sys/fs/cgroup. gVisor shows the sandbox's memory and processors by itself. The shim makes the files of the view.
 *
 * A new mount of version 2 begins at the group that the runtime was started in. On a host with version 2 that is the sandbox's own: it
 * is read-only, and files cover its limits. On a host with version 1 it is one of the service's, so a folder of files covers it, and
 * the sandbox's groups of version 1 too: nothing of them can be reached.
 */
function groupMounts(groups: ShownGroups): OciMount[] {
  const mount = (source: string, destination = groupFolder): OciMount => ({
    destination,
    type: 'bind',
    source,
    options: ['bind', 'ro', 'nosuid', 'nodev', 'noexec'],
  })
  const version2 = { ...mount('cgroup2'), type: 'cgroup2', options: ['ro', 'nosuid', 'nodev', 'noexec'] }
  const files = `${stagingFolder}/cgroup`
  if (groups.version === 2)
    return [version2, ...shownLimits.map((name) => mount(`${files}/${name}`, `${groupFolder}/${name}`))]
  const cover = mount(files)
  return [version2, ...groups.folders.map((folder) => mount(folder)), cover]
}

/** The group's own limit of memory has room for the platform too, and its processors may be more than the host has. */
const shownLimits = ['cpu.max', 'memory.max']

const groupFolder = '/sys/fs/cgroup'

/**
 * gVisor permits writes to a running program, and process 1 is one, so its folder is read-only. By default gVisor would mount
 * a tmpfs without a size limit on an empty /tmp.
 */
const gvisorMounts: OciMount[] = [
  {
    destination: '/.sandbox',
    type: 'bind',
    source: `${stagingFolder}/root/.sandbox`,
    options: ['bind', 'ro', 'nosuid', 'nodev'],
  },
  {
    destination: '/tmp',
    type: 'bind',
    source: `${stagingFolder}/root/tmp`,
    options: ['bind', 'nosuid', 'nodev'],
  },
]
