import type { SandboxSpec } from '../port.ts'
import type { CompiledFilters } from './compiled-filters.ts'
import { rangeSize } from './id-ranges.ts'
import { ownProcFiles } from './own-proc.ts'
import { stagingFolder } from './paths.ts'
import { statusDescriptor } from './runtimes.ts'
import { seccompProfile } from './seccomp.ts'

/** What buildah needs over its own files, inside its own user namespace, and nothing else. */
const buildCapabilities =
  `CHOWN DAC_OVERRIDE FOWNER FSETID KILL SETGID SETUID SETPCAP SETFCAP SYS_CHROOT SYS_ADMIN
  MKNOD`
    .split(/\s+/)
    .map((name) => `CAP_${name}`)

/** What the unpacker needs to give files to the owners that the image names. */
const unpackCapabilities = ['CAP_CHOWN', 'CAP_DAC_OVERRIDE', 'CAP_FOWNER', 'CAP_FSETID']

/** `unpack` is the agent's own: it writes an image's files, from inside. */
export type Confinement = SandboxSpec['confinement'] | 'unpack'

const capabilitiesOf: Record<Confinement, string[]> = {
  job: [],
  build: buildCapabilities,
  unpack: unpackCapabilities,
}

const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Each costs a mount at every start: what only the host's root could read anyway is left alone. */
const hiddenPaths = `/proc/acpi /proc/asound /proc/kcore /proc/keys /proc/latency_stats /proc/timer_list
  /proc/sched_debug /proc/scsi /proc/interrupts /proc/bus /proc/partitions /sys/firmware /sys/devices/virtual/powercap`.split(
  /\s+/,
)
const readOnlyPaths = '/proc/fs /proc/irq /proc/sys /proc/sysrq-trigger'.split(' ')

const namespaces = ['user', 'pid', 'mount', 'ipc', 'uts', 'cgroup']

/** crun stays in the namespace that it was started in; runsc makes one unless it is named. */
function networkNamespace({ network, runtime }: SandboxSpec): { type: 'network'; path?: string }[] {
  if (network === 'none') return [{ type: 'network' }]
  return runtime === 'runsc' ? [{ type: 'network', path: '/proc/self/ns/net' }] : []
}

interface Mount {
  destination: string
  type: string
  source: string
  options: string[]
}

interface SpecOptions {
  /** The first host id of the sandbox's own range. */
  idBase: number
  arch: string
  confinement: Confinement
  /** Absent: the runtime makes its filter of the profile. */
  filters?: CompiledFilters
}

/**
 * The sandbox as the OCI runtime specification has it, the same bundle for both runtimes. Pure. The root is the
 * overlay that the shim mounts; limits are set by the shim, in control groups that the runtime starts in.
 */
export function ociSpec(spec: SandboxSpec, { idBase, arch, confinement, filters }: SpecOptions): object {
  const build = confinement === 'build'
  const profile = build ? 'build' : 'job'
  const gvisor = spec.runtime === 'runsc'
  const capabilities = capabilitiesOf[confinement]
  const ids = [{ containerID: 0, hostID: idBase, size: rangeSize }]
  return {
    ociVersion: '1.0.0',
    root: { path: `${stagingFolder}/root`, readonly: false },
    hostname: spec.hostname,
    process: {
      terminal: false,
      // 1. Process 1 is ours and tells the program's end; the program is what it starts.
      args: ['/.sandbox/init', String(statusDescriptor[spec.runtime]), ...spec.argv],
      // Without HOME crun would look for it in the image's /etc/passwd, which is the tenant's.
      env: Object.entries({ PATH: defaultPath, HOME: '/', ...spec.env }).map(
        ([name, value]) => `${name}=${value}`,
      ),
      cwd: '/workspace',
      user: { uid: spec.user.uid, gid: spec.user.gid, umask: 0o022 },
      // 2. A job has no capability, not even over its own files; a build those that unpack images.
      capabilities: {
        bounding: capabilities,
        effective: capabilities,
        inheritable: [],
        permitted: capabilities,
        ambient: [],
      },
      // 3. Nothing can be gained by executing a file.
      noNewPrivileges: true,
      // 4. Limits that are counted per process.
      rlimits: [
        { type: 'RLIMIT_NOFILE', hard: spec.limits.openFiles, soft: Math.min(spec.limits.openFiles, 1024) },
        // The one limit at which the kernel starts no core_pattern program of the host's either; 0 would not do.
        { type: 'RLIMIT_CORE', hard: 1, soft: 1 },
        // These are counted once more for whoever made the namespace, which is the host's root.
        { type: 'RLIMIT_SIGPENDING', hard: 1024, soft: 1024 },
        { type: 'RLIMIT_MSGQUEUE', hard: 100_000, soft: 100_000 },
        // Locked pages of a shared file would stay in the memory of whoever read it first.
        { type: 'RLIMIT_MEMLOCK', hard: 0, soft: 0 },
        // gVisor counts its own processes; elsewhere the control group does, and this would count by user.
        ...(gvisor ? [{ type: 'RLIMIT_NPROC', hard: spec.limits.pids + 1, soft: spec.limits.pids + 1 }] : []),
      ],
    },
    // 5. Fresh special file systems over the platform's own folders; no host path among them.
    mounts: [
      ...jobMounts,
      ...ownProcFiles(spec.runtime).map(procMount),
      ...(build ? buildMounts : []),
      ...(gvisor ? gvisorMounts : []),
    ],
    linux: {
      // 6. A namespace of every kind. The network one holds nothing but an unconnected loopback, or it is the one that
      // the shim has entered: prepared by the agent, and the host's own, so that the sandbox has no right over it.
      namespaces: [...namespaces.map((type) => ({ type })), ...networkNamespace(spec)],
      // 7. Ids that exist nowhere else on the machine: root in here is nobody out there.
      uidMappings: ids,
      gidMappings: ids,
      // 8. The parts of /proc that tell about the host, or change it. gVisor has a /proc of its own, without them.
      maskedPaths: hiddenPaths,
      readonlyPaths: readOnlyPaths,
      // 9. Only the system calls that programs need. crun takes the filter below instead, which it made of the same profile.
      seccomp: seccompProfile({ confinement: profile, arch, runtime: spec.runtime }),
    },
    annotations: filters && !gvisor ? { 'run.oci.seccomp_bpf_data': filters[profile] } : {},
  }
}

const jobMounts: Mount[] = [
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
    options: ['nosuid', 'noexec', 'nodev', 'mode=1777', 'size=64m', 'nr_inodes=4096'],
  },
]

/** The shim has put the file there (native/mounts.c). */
const procMount = (name: string): Mount => ({
  destination: `/proc/${name}`,
  type: 'bind',
  source: `${stagingFolder}/proc/${name}`,
  options: ['bind', 'ro', 'nosuid', 'nodev', 'noexec'],
})

/**
 * gVisor lets a program that runs be written to, and process 1 is one. Left alone, it would lay a tmpfs over an empty /tmp,
 * which no size bounds.
 */
const gvisorMounts: Mount[] = [
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

const buildMounts: Mount[] = [
  {
    destination: '/dev/pts',
    type: 'devpts',
    source: 'devpts',
    options: ['nosuid', 'noexec', 'newinstance', 'ptmxmode=0666', 'mode=0620', 'max=64'],
  },
]
