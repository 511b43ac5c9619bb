// biome-ignore-all lint/suspicious/noTemplateCurlyInString: text of source files, which has template strings
import type { SandboxRuntime } from '../../../server/executor/port/sandbox-spec.ts'

/** A control in the source of the executor, and its replacement when it is removed. */
export interface Edit {
  /** Below server/executor/oci. */
  file: string
  original: string
  replacement: string
}

export interface Hole {
  name: string
  edits: Edit[]
  /** Classes of attempts that test it, or single attempts: `class/name`. */
  tries: string[]
  /** Absent: crun. */
  runtime?: SandboxRuntime
}

const edit = (file: string, original: string, replacement: string): Edit => ({ file, original, replacement })
const without = (file: string, original: string) => edit(file, original, '')

const ofKernel: Hole[] = [
  {
    name: 'no filter of calls',
    edits: [
      without(
        'bundle/spec.ts',
        'seccomp: seccompProfile({ confinement: profile, arch, runtime: spec.runtime }),',
      ),
      without(
        'bundle/spec.ts',
        "annotations: filters && !gvisor ? { 'run.oci.seccomp_bpf_data': filters[profile] } : {},",
      ),
    ],
    tries: ['system calls'],
  },
  {
    name: 'one call too many',
    edits: [edit('bundle/seccomp.ts', "random: 'getrandom'", "random: 'getrandom keyctl'")],
    tries: ['system calls'],
  },
  {
    name: 'calls of 32 bits',
    edits: [edit('bundle/seccomp.ts', "'SCMP_ARCH_X86_64']", "'SCMP_ARCH_X86_64', 'SCMP_ARCH_X86']")],
    tries: ['system calls'],
  },
  {
    name: 'new namespaces',
    edits: [edit('bundle/seccomp.ts', '[none(0, namespaceFlags)]', '[]')],
    tries: ['namespaces'],
  },
  {
    name: 'every family of sockets',
    edits: [
      edit('bundle/seccomp.ts', "allow(['socket'], [family(netlink), protocol(0)])", "allow(['socket'])"),
    ],
    tries: ['sockets'],
  },
  {
    name: 'a capability kept',
    edits: [edit('bundle/spec.ts', 'job: [],', "job: ['CAP_SYS_ADMIN'],")],
    tries: ['rights'],
  },
  {
    name: 'new privileges',
    edits: [edit('bundle/spec.ts', 'noNewPrivileges: true', 'noNewPrivileges: false')],
    tries: ['rights'],
  },
  {
    name: 'core files',
    edits: [
      edit('bundle/seccomp.ts', 'const RLIMIT_CORE = 4', 'const RLIMIT_CORE = 99'),
      edit('bundle/spec.ts', 'hard: 1, soft: 1', 'hard: 2 ** 30, soft: 1'),
      edit('native/shim/runtime.c', 'no_core = { 1, 1 }', 'no_core = { 1, 1 << 30 }'),
    ],
    tries: ['rights'],
  },
]

const ofSharedFiles: Hole[] = [
  {
    name: 'every command of fcntl',
    edits: [edit('bundle/seccomp.ts', "allow(['fcntl'], [equal(1, command)])", "allow(['fcntl'])")],
    tries: ['shared files'],
  },
  {
    name: 'pages to be locked',
    edits: [
      edit(
        'bundle/spec.ts',
        "'RLIMIT_MEMLOCK', hard: 0, soft: 0",
        "'RLIMIT_MEMLOCK', hard: 65536, soft: 65536",
      ),
    ],
    tries: ['shared files'],
  },
  {
    name: 'devices of the host',
    edits: [edit('native/shim/confine/mounts.c', 'mount(made, known, NULL, MS_BIND, NULL)', 'false')],
    tries: ['shared files'],
  },
  {
    name: 'half a number',
    edits: [
      edit(
        'bundle/seccomp.ts',
        "...otherLimits.map((limit) => allow(['prlimit64'], [equal(1, limit)]))",
        "allow(['prlimit64'], [other(1, RLIMIT_CORE)])",
      ),
    ],
    tries: ['rights'],
  },
]

const ofView: Hole[] = [
  {
    name: 'process namespace shared',
    edits: [
      edit('bundle/spec.ts', "'pid', ", ''),
      // Without it a new /proc is refused.
      edit(
        'bundle/spec.ts',
        "type: 'proc', source: 'proc', options: [",
        "type: 'bind', source: '/proc', options: ['rbind', ",
      ),
    ],
    tries: ['neighbours', 'procfs and sysfs/foreign_processes'],
  },
  { name: 'ipc namespace shared', edits: [edit('bundle/spec.ts', "'ipc', ", '')], tries: ['neighbours'] },
  {
    name: 'network namespace shared',
    edits: [edit('bundle/spec.ts', "return [{ type: 'network' }]", 'return []')],
    tries: ['neighbours'],
  },
  {
    name: 'cgroup namespace shared',
    edits: [edit('bundle/spec.ts', "'uts', 'cgroup'", "'uts'")],
    tries: ['leaks'],
  },
  {
    name: 'clock of the host',
    edits: [edit('native/shim/runtime.c', 'if (!own_uptime())', 'if (0 && !own_uptime())')],
    tries: ['leaks'],
  },
  {
    name: 'one range of ids for all',
    edits: [edit('host/id-ranges.ts', 'return poolBase + slot * rangeSize', 'return poolBase')],
    tries: ['neighbours'],
  },
  {
    name: 'nothing masked',
    edits: [edit('bundle/spec.ts', 'maskedPaths: hiddenPaths', 'maskedPaths: []')],
    tries: ['procfs and sysfs'],
  },
  {
    name: 'nothing read-only',
    edits: [edit('bundle/spec.ts', 'readonlyPaths: readOnlyPaths', 'readonlyPaths: []')],
    tries: ['procfs and sysfs'],
  },
  {
    name: 'sizes of the host',
    edits: [without('bundle/spec.ts', '...procfsOverlayFiles(spec.runtime).map(procMount),')],
    tries: ['leaks'],
  },
  {
    name: 'command line of the host',
    edits: [edit('bundle/procfs-overlay.ts', "crun: ['cmdline', ", 'crun: [')],
    tries: ['leaks/tells_command_line'],
  },
  {
    name: 'layers by their paths',
    edits: [
      edit('native/shim/confine/mounts.c', 'upperdir=space/upper', 'upperdir=/run/sandbox-jobs/space/upper'),
    ],
    tries: ['leaks/tells_layers'],
  },
  {
    name: 'base images by their path',
    edits: [
      edit(
        'native/shim/confine/mounts.c',
        'mount_overlay(plan->staging, "root/base-images", MS_RDONLY, "lowerdir=lower/base-images:lower/none");',
        'snprintf(path, sizeof path, "%s/base-images", root_path); attach(&plan->base_images, path, plan->id_base, MOUNT_ATTR_RDONLY);',
      ),
    ],
    tries: ['builds/tells_base_images'],
  },
  {
    name: 'devices of the host in builds',
    edits: [
      edit(
        'bundle/spec.ts',
        '...(build ? buildMounts : [])',
        "...(build ? [...buildMounts, { destination: '/sys', type: 'sysfs', source: 'sysfs', options: ['ro'] }] : [])",
      ),
    ],
    tries: ['builds'],
  },
  {
    name: 'process 1 dumpable',
    edits: [edit('native/init/init.c', 'PR_SET_DUMPABLE, 0', 'PR_SET_DUMPABLE, 1')],
    tries: ['procfs and sysfs'],
  },
]

const ofFiles: Hole[] = [
  {
    name: 'a folder left open',
    edits: [
      edit(
        'native/shim/runtime.c',
        'syscall(SYS_close_range, shim_plan.status_descriptor + 1, ~0u, 0)',
        'dup2(open("/etc", O_RDONLY), 4) < 0',
      ),
      edit('bundle/runtimes.ts', '--preserve-fds=1', '--preserve-fds=2'),
    ],
    tries: ['sockets'],
  },
  {
    name: 'the host’s /tmp shared',
    edits: [
      edit(
        'bundle/spec.ts',
        '...(build ? buildMounts : [])',
        "{ destination: '/tmp', type: 'bind', source: '/tmp', options: ['bind', 'nosuid', 'nodev'] }",
      ),
    ],
    tries: ['neighbours'],
  },
  {
    name: 'control groups to be seen',
    edits: [
      edit(
        'bundle/spec.ts',
        '...(build ? buildMounts : [])',
        "{ destination: '/sys/fs/cgroup', type: 'bind', source: '/sys/fs/cgroup', options: ['rbind'] }",
      ),
    ],
    tries: ['mounts'],
  },
  {
    name: 'devices would work',
    edits: [
      edit(
        'native/shim/confine/mounts.c',
        '"overlay", target, "overlay", MS_NOSUID | MS_NODEV',
        '"overlay", target, "overlay", MS_NOSUID',
      ),
    ],
    tries: ['mounts'],
  },
  {
    name: 'results taken through links',
    edits: [
      edit(
        'native/shim/collect/outputs.c',
        'O_CLOEXEC | O_NOFOLLOW | (flags & O_PATH ?',
        'O_CLOEXEC | (flags & O_PATH ?',
      ),
      edit(
        'native/shim/collect/outputs.c',
        'RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV',
        '0',
      ),
    ],
    tries: [
      'collector/output_link_to_canary',
      'collector/bundle_link_to_canary',
      'collector/bundle_folder_is_link_to_canary',
    ],
  },
  {
    name: 'results taken by root',
    edits: [
      edit(
        'native/shim/collect/collect.c',
        'setresuid(plan->id_base + plan->uid, plan->id_base + plan->uid, plan->id_base + plan->uid)',
        '0',
      ),
    ],
    tries: ['collector/bundle_closed_file', 'collector/bundle_closed_folder'],
  },
]

const ofEnvironment: Hole[] = [
  {
    name: 'the runtime has the job’s environment',
    edits: [
      edit(
        'bundle/runtimes.ts',
        "...[program, '--cgroup-manager=disabled'",
        "...['/usr/bin/env', ...Object.entries(arguments[0].env).map((pair) => pair.join('=')), program, '--cgroup-manager=disabled'",
      ),
    ],
    tries: ['environment/preload', 'environment/audit', 'environment/homes'],
  },
]

const ofShares: Hole[] = [
  {
    name: 'four times the memory',
    edits: [
      edit(
        'host/cgroups.ts',
        'const bytes = String(limits.memoryBytes)',
        'const bytes = String(4 * limits.memoryBytes)',
      ),
    ],
    tries: ['resources/memory_bomb'],
  },
  {
    name: 'no count of processes',
    edits: [
      edit(
        'host/cgroups.ts',
        "path: join(pids, 'pids.max'), value: String(limits.pids + runtimeProcesses)",
        "path: join(pids, 'pids.max'), value: 'max'",
      ),
    ],
    tries: ['resources/forks_counted'],
  },
  {
    name: 'no size of the workspace',
    edits: [edit('native/shim/confine/mounts.c', '"size=%llu,', '"size=1%llu,')],
    tries: ['resources/workspace_full'],
  },
  {
    name: 'no count of files',
    edits: [edit('native/shim/confine/mounts.c', 'nr_inodes=%llu', 'nr_inodes=%llu0')],
    tries: ['resources/inodes'],
  },
  {
    name: 'a late deadline',
    edits: [edit('native/shim/shim.c', '.tv_sec = timeout_ms / 1000', '.tv_sec = timeout_ms / 1000 + 6')],
    tries: ['resources/endless_asleep'],
  },
  {
    name: 'a log without bound',
    edits: [edit('native/shim/log/log.c', 'tail_limit = limit - head_limit', 'tail_limit = 64 * limit')],
    tries: ['resources/log_flood'],
  },
]

const ofNetwork: Hole[] = [
  {
    name: 'inner addresses',
    edits: [
      without('network/rules.ts', 'meta nfproto ipv4 jump destination4'),
      without('network/rules.ts', 'meta nfproto ipv6 jump destination6'),
    ],
    tries: ['network'],
  },
  {
    name: 'no allow list',
    edits: [edit('network/rules.ts', 'meta mark != 0 meta mark .', 'meta mark 999999 meta mark .')],
    tries: ['allow list'],
  },
  {
    name: 'pulls reach inner addresses',
    edits: [edit('network/rules.ts', 'daddr . tcp dport @registry', 'daddr . tcp dport != @registry')],
    tries: ['pulls'],
  },
  {
    name: 'jobs reach the registry',
    edits: [edit('network/rules.ts', 'saddr @pulls', 'saddr != @pulls')],
    tries: ['pulls'],
  },
  {
    name: 'mirrors for every link',
    edits: [edit('network/mirror-rules.ts', 'ip saddr @mirrored ip daddr', 'ip daddr')],
    tries: ['reach of builds/mirror_unasked'],
  },
  {
    name: 'mirrors past the proxy',
    edits: [
      edit(
        'network/rules.ts',
        '${ip} saddr @pulls${number} ${ip} daddr . tcp dport @registry${number} accept',
        '${ip} daddr . tcp dport @mirrors${number} accept',
      ),
    ],
    tries: ['reach of builds/mirror_itself'],
  },
  {
    name: 'mirrors for jobs',
    edits: [edit('agent/spec-check.ts', "need(hasMirrors(spec), 'network.mirrors')", '')],
    tries: ['reach of builds/mirror_of_job'],
  },
]

const ofGvisor: Hole[] = [
  {
    name: 'no filter inside gVisor',
    edits: [edit('bundle/runtimes.ts', "'--oci-seccomp', ", '')],
    tries: ['system calls'],
    runtime: 'runsc',
  },
  {
    name: 'no count of processes',
    edits: [edit('bundle/spec.ts', "gvisor ? [{ type: 'RLIMIT_NPROC'", "!gvisor ? [{ type: 'RLIMIT_NPROC'")],
    tries: ['resources/forks_counted'],
    runtime: 'runsc',
  },
  {
    name: 'a /tmp without bound',
    edits: [edit('bundle/spec.ts', '...(gvisor ? gvisorMounts : [])', '...[]')],
    tries: ['resources/tmp_full'],
    runtime: 'runsc',
  },
]

/** Each hole removes one control, and the suite must detect it. */
export const holes: Hole[] = [
  ...ofKernel,
  ...ofSharedFiles,
  ...ofView,
  ...ofFiles,
  ...ofEnvironment,
  ...ofShares,
  ...ofNetwork,
  ...ofGvisor,
]
