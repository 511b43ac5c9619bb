import { edit, type Hole, withMount } from './hole.ts'

export const ofFiles: Hole[] = [
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
    launcher: [
      edit(
        'native/launcher/rights.c',
        'syscall(SYS_close_range, DESCRIPTORS, ~0u, CLOSE_RANGE_CLOEXEC)',
        '0',
      ),
    ],
    tries: ['sockets'],
  },
  {
    name: 'the host’s /tmp shared',
    edits: [
      withMount(
        "{ destination: '/tmp', type: 'bind', source: '/tmp', options: ['bind', 'nosuid', 'nodev'] }",
      ),
    ],
    tries: ['neighbours'],
  },
  {
    name: 'control groups to be seen',
    edits: [
      withMount(
        "{ destination: '/sys/fs/cgroup', type: 'bind', source: '/sys/fs/cgroup', options: ['rbind'] }",
      ),
    ],
    tries: ['mounts'],
  },
  {
    name: 'a control group that nothing covers or closes',
    edits: [
      edit('bundle/spec.ts', 'mount(folder)), cover]', 'mount(folder))]'),
      edit(
        'native/shim/confine/cgroups.c',
        'if (mkdir(plan->cgroups[i], 0700) && errno != EEXIST)',
        'if ((mkdir(plan->cgroups[i], 0700) && errno != EEXIST) || chmod(plan->cgroups[i], 0755))',
      ),
    ],
    tries: ['mounts/own_cgroup'],
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
    name: 'the host’s tree below the root',
    edits: [edit('native/launcher/root.c', ' || umount2(".", MNT_DETACH)', '')],
    tries: ['mounts', 'leaks'],
    runtime: 'launcher',
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
    edits: [edit('native/shim/collect/collect.c', 'setresuid(user, user, user)', '0')],
    tries: ['collector/bundle_closed_file', 'collector/bundle_closed_folder'],
  },
  {
    name: 'results looked for by root',
    edits: [
      edit(
        'native/shim/collect/collect.c',
        'setegid(program_group(plan)) || seteuid(program_user(plan))',
        'program_group(plan) == 0 || program_user(plan) == 0',
      ),
    ],
    tries: ['collector/bundle_in_closed_workspace'],
  },
]
