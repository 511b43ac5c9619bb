import { edit, type Hole, without } from './hole.ts'

export const ofKernel: Hole[] = [
  {
    name: 'no filter of calls',
    edits: [
      without(
        'bundle/spec.ts',
        'seccomp: seccompProfile({ confinement: profile, arch, runtime: spec.runtime }),',
      ),
      without(
        'bundle/spec.ts',
        "annotations: compiled === undefined ? {} : { 'run.oci.seccomp_bpf_data': compiled },",
      ),
      edit('native/init/init.c', '!= SECCOMP_MODE_FILTER', '< 0'),
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
    name: 'any line discipline',
    edits: [edit('bundle/seccomp.ts', 'const TIOCSETD = 0x5423', 'const TIOCSETD = 0')],
    tries: ['devices/line_discipline'],
  },
  {
    name: 'terminals of others',
    edits: [edit('bundle/spec.ts', 'max=16', 'max=64')],
    tries: ['devices/terminals_of_others'],
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
