import { edit, type Hole, withMount, without } from './hole.ts'

export const ofView: Hole[] = [
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
    edits: [
      edit('bundle/spec.ts', "return [{ type: 'network' }]", 'return []'),
      // Without it settings of the network are refused.
      edit('bundle/spec.ts', "spec.network === 'none' && !gvisor", 'false'),
    ],
    tries: ['neighbours'],
  },
  {
    name: 'cgroup namespace shared',
    edits: [
      edit('bundle/spec.ts', "'uts', 'cgroup'", "'uts'"),
      // Without it a mount of version 2 is refused.
      edit(
        'bundle/spec.ts',
        "{ ...mount('cgroup2'), type: 'cgroup2', options: ['ro', 'nosuid', 'nodev', 'noexec'] }",
        "mount(stagingFolder + '/cgroup')",
      ),
    ],
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
    edits: [edit('bundle/procfs-overlay.ts', "host: ['cgroups', 'cmdline', ", "host: ['cgroups', ")],
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
      withMount(
        "...(build ? [{ destination: '/sys', type: 'sysfs', source: 'sysfs', options: ['ro'] }] : [])",
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
