import { edit, type Hole, without } from './hole.ts'

export const ofKernel: Hole[] = [
  {
    name: 'no filter of calls',
    edits: [
      without(
        'bundle/spec.ts',
        'seccomp: seccompProfile({ confinement: profile, arch, runtime: spec.runtime }),',
      ),
      edit(
        'bundle/spec.ts',
        "annotations: compiled === undefined ? {} : { 'run.oci.seccomp_bpf_data': compiled },",
        'annotations: {},',
      ),
      edit('native/init/init.c', '!= SECCOMP_MODE_FILTER', '< 0'),
    ],
    launcher: [
      without('native/launcher/description.c', ' || !description->filter.len'),
      edit('native/launcher/rights.c', 'if (syscall(SYS_seccomp', 'if (0 && syscall(SYS_seccomp'),
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
    launcher: [
      without('bundle/launch-description.ts', ' && noNewPrivileges'),
      // Without it the kernel takes a filter only from a process with capabilities.
      without('native/launcher/rights.c', '  set_capabilities(description->capabilities);\n'),
      edit(
        'native/launcher/rights.c',
        'if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) launcher_fail(LAUNCH_PRIVILEGES, "no new privileges");',
        '',
      ),
      edit(
        'native/launcher/rights.c',
        'launcher_fail(LAUNCH_FILTER, "filter");',
        'launcher_fail(LAUNCH_FILTER, "filter");\n  set_capabilities(description->capabilities);',
      ),
    ],
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
  {
    name: 'every capability kept',
    edits: [
      edit(
        'native/launcher/rights.c',
        'if (!(kept >> number & 1) &&',
        'if (kept && !(kept >> number & 1) &&',
      ),
      edit(
        'native/launcher/rights.c',
        'set_capabilities(description->capabilities);',
        'set_capabilities(~0ull >> 23);',
      ),
    ],
    tries: ['rights'],
    runtime: 'launcher',
  },
]
