import type { Attempt, Table } from '../attempt.ts'

const words = (text: string) => text.trim().split(/\s+/)

/** Settings of the machine's kernel; writing one of the first would run programs as root outside. */
const settings =
  words(`kernel/core_pattern kernel/modprobe kernel/hotplug kernel/poweroff_cmd kernel/usermodehelper/bset
  kernel/usermodehelper/inheritable fs/binfmt_misc/register kernel/sysrq kernel/randomize_va_space
  kernel/kptr_restrict kernel/dmesg_restrict kernel/panic kernel/panic_on_oops kernel/hostname kernel/domainname
  kernel/ns_last_pid kernel/unprivileged_bpf_disabled kernel/perf_event_paranoid kernel/yama/ptrace_scope kernel/pid_max
  kernel/threads-max kernel/shmmax kernel/msgmax kernel/sem kernel/keys/maxkeys kernel/core_pipe_limit
  kernel/modules_disabled kernel/kexec_load_disabled kernel/sched_rt_runtime_us kernel/printk kernel/tainted
  fs/file-max fs/nr_open fs/protected_symlinks fs/protected_hardlinks fs/suid_dumpable fs/pipe-max-size
  fs/inotify/max_user_instances fs/mqueue/queues_max vm/overcommit_memory vm/drop_caches vm/panic_on_oom
  vm/mmap_min_addr vm/swappiness vm/nr_hugepages vm/oom_kill_allocating_task net/ipv4/ip_forward net/core/somaxconn
  net/core/bpf_jit_enable net/ipv4/conf/all/forwarding net/ipv6/conf/all/forwarding net/ipv4/ping_group_range
  user/max_user_namespaces user/max_mnt_namespaces`)

const otherWritable =
  words(`/proc/sysrq-trigger /proc/irq/default_smp_affinity /proc/mtrr /proc/scsi/scsi /proc/acpi/wakeup
  /proc/1/mem /proc/1/fd/0 /proc/1/fd/1 /proc/1/fd/3
  /sys/kernel/uevent_helper /sys/power/state /sys/kernel/mm/ksm/run /sys/class/net/lo/mtu
  /sys/fs/cgroup/memory.max /sys/fs/cgroup/cpu.max /sys/fs/cgroup/cgroup.subtree_control
  /sys/fs/cgroup/cgroup.kill /sys/fs/cgroup/cgroup.freeze /sys/fs/cgroup/memory.reclaim /sys/fs/cgroup/cpu.pressure
  /sys/fs/cgroup/release_agent /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/memory/release_agent
  /sys/fs/cgroup/rdma/release_agent /sys/fs/cgroup/devices/devices.allow /sys/fs/cgroup/unified/cgroup.procs
  /sys/fs/selinux/enforce /sys/kernel/security/apparmor/.remove /sys/kernel/debug/tracing/tracing_on
  /sys/firmware/efi/efivars /sys/module/kernel/parameters/panic /sys/kernel/livepatch
  /sys/devices/system/cpu/cpu1/online /sys/block/vda/queue/scheduler`)

/** Files with the host's memory, keys or kernel data, or that reach process 1. */
const otherReadable =
  words(`/proc/kcore /proc/keys /proc/kmsg /proc/vmcore /proc/kpagecount /proc/kpageflags /proc/kpagecgroup
  /proc/slabinfo /proc/vmallocinfo /proc/pagetypeinfo /proc/timer_list /proc/sched_debug /proc/latency_stats
  /proc/interrupts /proc/asound/cards /proc/acpi/info
  /proc/1/mem /proc/1/environ /proc/1/maps /proc/1/smaps /proc/1/pagemap /proc/1/auxv /proc/1/stack /proc/1/syscall
  /proc/1/io /proc/1/exe /proc/1/fd/0 /proc/1/root /proc/1/cwd /proc/1/map_files /proc/1/root/etc/shadow
  /proc/1/cwd/etc/passwd /sys/kernel/debug /sys/kernel/tracing /sys/kernel/vmcoreinfo /sys/kernel/notes
  /sys/firmware/dmi/tables/DMI /sys/class/dmi/id/product_uuid /sys/kernel/security /sys/fs/bpf /sys/fs/pstore
  /sys/devices/virtual/powercap /sys/class/thermal /proc/bus/pci/devices /proc/net/../../1/root`)

const named = (prefix: string, path: string) => `${prefix}${path.replaceAll(/[^a-zA-Z0-9]+/g, '_')}`

/** gVisor's process 1 is inside its own kernel, and as much the tenant's as the program is. */
const ownInit = 'process 1 of gVisor is of its own kernel'
const gvisorSeparates = (path: string): Pick<Attempt, 'gvisorNote'> =>
  path.startsWith('/proc/1/')
    ? { gvisorNote: ownInit }
    : path === '/proc/sysrq-trigger'
      ? { gvisorNote: 'a file of its own kernel, which takes nothing' }
      : {}

/** Those that gVisor has at all and lets root open. */
const ownSettings = ['kernel/yama/ptrace_scope', 'fs/nr_open']

export const procAndSys: Table = {
  class: 'procfs and sysfs',
  attempts: [
    ...settings.map((path) => ({
      name: named('write_', path),
      what: `writes the machine's setting ${path}`,
      command: `probe open /proc/sys/${path} w`,
      ...(ownSettings.includes(path) ? { gvisorNote: 'a setting of its own kernel' } : {}),
    })),
    ...otherWritable.map((path) => ({
      name: named('write', path),
      what: `writes ${path}`,
      command: `probe open ${path} w`,
      ...gvisorSeparates(path),
    })),
    ...otherReadable.map((path) => ({
      name: named('read', path),
      what: `reads ${path}`,
      command: `probe read ${path} || ls ${path}/. | grep -q .`,
      ...gvisorSeparates(path),
    })),
    {
      name: 'core_pattern_of_pipe',
      what: 'puts a program into core_pattern and crashes',
      command: `echo '|/workspace/x' >/proc/sys/kernel/core_pattern`,
    },
    {
      name: 'kallsyms',
      what: 'reads where the kernel lies',
      command: `grep -qv '^0*0 ' /proc/kallsyms`,
    },
    {
      name: 'modules',
      what: 'reads where modules lie',
      command: `grep -q '0x[0-9a-f]*[1-9a-f]' /proc/modules`,
    },
    {
      name: 'iomem',
      what: 'reads how physical memory lies',
      command: `grep -q '[1-9a-f][0-9a-f]*-[0-9a-f]*[1-9a-f]' /proc/iomem`,
    },
    {
      name: 'oom_protection',
      what: 'puts itself out of reach of the memory killer',
      command: 'echo -1000 >/proc/self/oom_score_adj',
      gvisorNote: 'a number of its own kernel, which kills by the control group',
    },
    {
      name: 'oom_protection_1',
      what: 'puts process 1 out of reach of the memory killer',
      command: 'echo -1000 >/proc/1/oom_score_adj',
      gvisorNote: ownInit,
    },
    {
      name: 'clock_offset',
      what: 'moves its clock since start-up',
      command: 'echo monotonic 9 0 >/proc/self/timens_offsets',
    },
    {
      name: 'name_1',
      what: 'gives process 1 another name',
      command: 'echo escape >/proc/1/comm',
      gvisorNote: ownInit,
    },
    { name: 'uid_map_1', what: 'maps more ids for process 1', command: `echo '0 0 1' >/proc/1/uid_map` },
    { name: 'setgroups_1', what: 'lets process 1 join groups', command: 'echo allow >/proc/1/setgroups' },
    {
      name: 'descriptors_1',
      what: 'sees what process 1 holds open',
      command: `ls -l /proc/1/fd/ | grep -q 'pipe:'`,
      gvisorNote: ownInit,
    },
    { name: 'uid_map', what: 'maps more ids', command: `echo '0 0 1' >/proc/self/uid_map` },
    { name: 'gid_map', what: 'maps more ids', command: `echo '0 0 1' >/proc/self/gid_map` },
    {
      name: 'dmesg',
      what: `reads the machine's kernel log`,
      command: 'dmesg | grep -q .',
    },
    {
      name: 'binfmt',
      what: 'registers an interpreter for the whole machine',
      command: `echo ':x:M::\\x7fELX::/workspace/x:' >/proc/sys/fs/binfmt_misc/register`,
    },
    {
      name: 'foreign_processes',
      what: 'finds a process that is not of its own sandbox',
      command: `cat /proc/[0-9]*/comm | grep -qE '^(node|crun|runsc|shim|systemd|kthreadd|postgres)$'`,
    },
  ],
}
