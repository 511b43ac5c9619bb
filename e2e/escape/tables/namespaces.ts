import type { Attempt, Table } from '../attempt.ts'

const flags: [string, number][] = [
  ['time', 0x80],
  ['mount', 0x2_0000],
  ['cgroup', 0x200_0000],
  ['uts', 0x400_0000],
  ['ipc', 0x800_0000],
  ['user', 0x1000_0000],
  ['pid', 0x2000_0000],
  ['net', 0x4000_0000],
]
const kinds = 'cgroup ipc mnt net pid pid_for_children time time_for_children user uts'.split(' ')

const unfiltered: Attempt[] = [
  ...flags.flatMap(([name, flag]) => [
    { name: `unshare_${name}`, what: `makes a ${name} namespace`, command: `probe unshare ${flag}` },
    { name: `clone_${name}`, what: `makes a ${name} namespace by clone`, command: `probe clone ${flag}` },
    {
      name: `unshare_user_and_${name}`,
      what: `makes a ${name} namespace in a user namespace of its own`,
      command: `probe unshare ${flag | 0x1000_0000}`,
    },
  ]),
  ...kinds.flatMap((kind) => [
    {
      name: `setns_${kind}`,
      what: `enters its ${kind} namespace again`,
      command: `probe setns /proc/self/ns/${kind}`,
    },
    { name: `setns_1_${kind}`, what: `enters that of process 1`, command: `probe setns /proc/1/ns/${kind}` },
  ]),
]

/** `type source target [options]` of a mount that leads out, or uncovers what was covered. */
const mounts: [string, string][] = [
  ['tmpfs', 'mount -t tmpfs none /tmp'],
  ['proc', 'mount -t proc none /tmp'],
  ['sysfs', 'mount -t sysfs none /tmp'],
  ['cgroup_v1_rdma', 'mount -t cgroup -o rdma none /tmp'],
  ['cgroup_v1_memory', 'mount -t cgroup -o memory none /tmp'],
  ['cgroup_v1_named', 'mount -t cgroup -o none,name=escape none /tmp'],
  ['cgroup_v2', 'mount -t cgroup2 none /tmp'],
  ['overlay', 'mount -t overlay -o lowerdir=/,upperdir=/tmp,workdir=/workspace none /tmp'],
  ['bind', 'mount --bind / /tmp'],
  ['rbind', 'mount --rbind /proc /tmp'],
  ['move', 'mount --move /dev /tmp'],
  ['shared', 'mount --make-rshared /'],
  ['remount_root', 'mount -o remount,suid,dev /'],
  ['remount_proc_sys', 'mount -o remount,rw,bind /proc/sys'],
  ['uncover_kcore', 'umount /proc/kcore'],
  ['uncover_proc_sys', 'umount -l /proc/sys'],
  ['uncover_meminfo', 'umount -l /proc/meminfo'],
  ['uncover_control_group', 'umount -l /sys/fs/cgroup'],
  ['unmount_dev', 'umount -l /dev'],
  ['unmount_root', 'umount -l /'],
  ['devpts', 'mount -t devpts none /tmp'],
  ['debugfs', 'mount -t debugfs none /tmp'],
  ['tracefs', 'mount -t tracefs none /tmp'],
  ['securityfs', 'mount -t securityfs none /tmp'],
  ['bpf', 'mount -t bpf none /tmp'],
  ['binfmt_misc', 'mount -t binfmt_misc none /tmp'],
  ['mqueue', 'mount -t mqueue none /tmp'],
  ['fuse', 'mount -t fuse -o fd=0,rootmode=40000,user_id=0,group_id=0 none /tmp'],
  ['disk', 'mount -t ext4 /dev/vda /tmp'],
  ['nfs', 'mount -t nfs 127.0.0.1:/ /tmp'],
  ['ninep', 'mount -t 9p none /tmp'],
]

/** The usual pseudo devices below /dev. */
const pseudoDevices = 'null|zero|full|tty|random|urandom'
/** Succeeds where a mount that may be written lacks the option; /dev and `devices` below it may. */
const writableWithout = (option: string, devices = pseudoDevices) =>
  `awk '$6 ~ /^rw/ && $6 !~ /${option}/ && $5 !~ "^/dev(/(${devices}))?$"' /proc/self/mountinfo | grep -q .`
const optionsOfGvisor = 'its own kernel does not tell the options of mounts'

export const namespaces: Table = { class: 'namespaces', attempts: unfiltered }

export const mountTricks: Table = {
  class: 'mounts',
  attempts: [
    ...mounts.map(([name, command]) => ({ name: `mount_${name}`, what: command, command })),
    {
      name: 'devices_would_work',
      what: 'finds a place to write where a device node would be a device',
      // Terminals are devices; `make_in_dev_pts` tries to make others beside them.
      command: writableWithout('nodev', `${pseudoDevices}|pts`),
      gvisorNote: optionsOfGvisor,
    },
    {
      name: 'set_user_id_would_work',
      what: 'finds a place to write where a set-user-id program would be one',
      command: writableWithout('nosuid'),
      gvisorNote: optionsOfGvisor,
    },
    {
      name: 'chroot',
      what: 'changes its root',
      command: 'chroot /tmp /.sandbox/busybox true || chroot / true',
    },
    { name: 'pivot_root', what: 'changes the root of all', command: 'pivot_root / /tmp' },
    {
      name: 'release_agent',
      what: 'finds a release_agent to put a program into (CVE-2022-0492)',
      command: 'find / -name release_agent 2>/dev/null | grep -q .',
    },
    {
      name: 'notify_on_release',
      what: 'finds a control group to empty',
      command: 'find / -name notify_on_release 2>/dev/null | grep -q .',
    },
    {
      name: 'own_cgroup',
      what: 'finds a control group of the kernel below the files that show one, or one of version 2 that has processes of others',
      // 63677270: version 2. The kernel lists a process of others as 0.
      command: `if [ "$(stat -fc %t /sys/fs/cgroup)" = 63677270 ]; then grep -qx 0 /sys/fs/cgroup/cgroup.procs
        else find /sys/fs/cgroup -name cgroup.procs -o -name "cgroup.[efst]*" | grep -q .; fi`,
    },
    {
      name: 'cgroup_files',
      what: 'finds a control group that it could write',
      command:
        'find / -name cgroup.procs -writable 2>/dev/null | grep -q . || find /sys/fs/cgroup -mindepth 1 -type d | grep -q .',
      gvisorNote: 'it may show groups of its own kernel',
    },
  ],
}

export const rights: Table = {
  class: 'rights',
  attempts: [
    { name: 'capset', what: 'takes every capability', command: 'probe capabilities' },
    {
      name: 'capability_left',
      what: 'finds a capability in any of its sets',
      command: `grep -E '^Cap(Inh|Prm|Eff|Bnd|Amb)' /proc/self/status | grep -q '[1-9a-f][0-9a-f]*$'`,
    },
    {
      name: 'new_privileges',
      what: 'finds that a set-user-id program would raise it',
      command: `! grep -q 'NoNewPrivs:.1' /proc/self/status`,
      gvisorNote: 'its /proc does not tell',
    },
    {
      name: 'no_filter',
      what: 'finds no filter of system calls',
      command: `! grep -q 'Seccomp:.2' /proc/self/status`,
    },
    { name: 'ambient', what: 'raises an ambient capability', command: 'probe prctl 47 2 21' },
    { name: 'securebits', what: 'changes its secure bits', command: 'probe prctl 28 1' },
    { name: 'drop_no_new_privileges', what: 'lifts no_new_privs', command: 'probe prctl 38 0' },
    { name: 'lift_filter', what: 'lifts its filter', command: 'probe prctl 22 0' },
    { name: 'other_executable', what: 'names itself another executable', command: 'probe prctl 35 13 0' },
    { name: 'setuid_of_host', what: 'becomes an id outside its range', command: 'probe setuid 70000' },
    { name: 'setuid_of_range', what: 'becomes another id of its range', command: 'probe setuid 1000' },
    { name: 'setgroups', what: 'joins another group', command: 'probe setgroups 6' },
    {
      name: 'identity_ids',
      what: 'finds that root inside is root outside',
      command: `grep -qE '^ *0 +0 ' /proc/self/uid_map`,
      gvisorNote: 'ids of its own kernel; those outside are held by a canary',
    },
    {
      name: 'core_limit',
      what: 'has core files written, or their program started',
      command: 'probe core-limit',
    },
    {
      name: 'no_core_limit',
      what: 'takes its limit of core files away by a number that the kernel reads half of',
      command: 'probe no-core-limit',
    },
    ...(
      [
        ['files', 7],
        ['signals', 11],
        ['queues', 12],
        ['locked_memory', 8],
      ] as [string, number][]
    ).map(([name, limit]) => ({
      name: `raise_${name}`,
      what: `raises its limit of ${name}`,
      command: `probe raise-limit ${limit}`,
    })),
    {
      name: 'real_time',
      what: 'takes real-time priority',
      command: 'probe scheduler 1 50',
      gvisorNote: 'a number of its own kernel',
    },
    {
      name: 'round_robin',
      what: 'takes real-time priority',
      command: 'probe scheduler 2 1',
      gvisorNote: 'a number of its own kernel',
    },
    { name: 'deadline', what: 'takes deadline scheduling', command: 'probe scheduler 6 0' },
    {
      name: 'priority',
      what: 'takes priority over others',
      command: 'probe priority -20',
      gvisorNote: 'a number of its own kernel',
    },
    { name: 'huge_pages', what: `takes the machine's huge pages`, command: 'probe huge-pages' },
    { name: 'huge_file', what: `takes the machine's huge pages by a file`, command: 'probe memory-file 4' },
    {
      name: 'low_memory',
      what: 'maps address 0, where a fault of the kernel would jump',
      command: 'probe low-memory',
    },
    {
      name: 'queues',
      what: 'fills message queues',
      command: 'probe queues',
      gvisorNote: 'queues of its own kernel, in its own memory',
    },
    {
      name: 'signals_queued',
      what: `takes the root user's count of signals`,
      command: 'probe signals-queued',
    },
    {
      name: 'notification_pipe',
      what: 'makes a pipe that the kernel notes events in (CVE-2022-0995)',
      command: 'probe pipe 0x80',
    },
    {
      name: 'urgent_byte',
      what: 'sends an urgent byte to a local socket (CVE-2025-38236)',
      command: 'probe urgent',
    },
    {
      name: 'traffic_control',
      what: `queues packets by rules of its own (CVE-2022-2588)`,
      command: 'tc qdisc add dev lo root handle 1: prio',
    },
    { name: 'set_date', what: 'sets the clock', command: 'date -s 2001-01-01; [ $(date +%Y) = 2001 ]' },
    { name: 'set_hostname', what: 'renames the machine', command: 'hostname escaped' },
    { name: 'load_module', what: 'loads a module', command: 'insmod /workspace/x.ko' },
    { name: 'reboot', what: 'restarts the machine', command: 'reboot -f -n' },
    { name: 'swap', what: 'takes a file as swap', command: 'swapoff -a && swapon /workspace/x' },
  ],
}
