import { edit, type Hole } from './hole.ts'

export const ofResources: Hole[] = [
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
    edits: [edit('native/shim/shim.c', '!set_timer(timeout_ms)', '!set_timer(timeout_ms + 6000)')],
    tries: ['resources/endless_asleep'],
  },
  {
    name: 'a log without bound',
    edits: [edit('native/shim/log/log.c', 'tail_limit = limit - head_limit', 'tail_limit = 64 * limit')],
    tries: ['resources/log_flood'],
  },
]
