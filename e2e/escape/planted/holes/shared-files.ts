import { edit, type Hole } from './hole.ts'

export const ofSharedFiles: Hole[] = [
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
    launcher: [edit('bundle/launch-description.ts', '{stagingFolder}/devices', "{''}/dev")],
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
