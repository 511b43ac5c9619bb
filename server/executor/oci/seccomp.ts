/**
 * The system calls a sandbox may make. Everything not named here answers "function not implemented", which
 * programs built for older kernels survive. Groups carry the reason; what is missing is missing on purpose:
 *
 * - new user namespaces (unshare and clone with namespace flags, setns, clone3 whose flags a filter cannot read):
 *   the door to most of the kernel's privileged code
 * - keyctl, add_key, request_key: keys are not separated by container
 * - bpf, perf_event_open, userfaultfd, io_uring: large and often broken, and no job needs them
 * - io_setup, inotify_init: the first has one number of events for the whole machine, the second 128 instances for
 *   all user namespaces that root made, so one job could take them all; programs that watch files fall back to looking
 * - ptrace across processes, process_vm_*, kcmp, pidfd_getfd: reading other processes
 * - vsock, raw and packet sockets, netfilter netlink: socket() is allowed for local, TCP, UDP and route sockets only;
 *   socketpair() for local ones, because it would load and enter the code of any other family too
 * - huge pages: the machine's pool of them is in no memory limit
 * - mount family, pivot_root, chroot, swapon, modules, kexec, clocks, quotas, name handles: administration
 * - personality other than the usual one, 32-bit and x32 calls
 *
 * Two calls answer success without being made: sync, which would flush the disks of everybody, and changes of
 * the core file limit (see "rlimits" in spec.ts).
 */
export interface SeccompRule {
  names: string[]
  action: 'SCMP_ACT_ALLOW' | 'SCMP_ACT_ERRNO'
  errnoRet?: number
  args?: { index: number; value: number; valueTwo?: number; op: string }[]
}

export interface SeccompProfile {
  defaultAction: 'SCMP_ACT_ERRNO'
  defaultErrnoRet: number
  architectures: string[]
  syscalls: SeccompRule[]
}

const groups = {
  files: `access chdir chmod chown close close_range copy_file_range creat dup dup2 dup3 faccessat faccessat2
    fadvise64 fallocate fchdir fchmod fchmodat fchmodat2 fchown fchownat fcntl fdatasync fgetxattr flistxattr
    flock fremovexattr fsetxattr fstat fstatfs fsync ftruncate futimesat getcwd getdents getdents64 getxattr
    ioctl lchown lgetxattr link linkat listxattr
    llistxattr lremovexattr lseek lsetxattr lstat mkdir mkdirat mknod mknodat newfstatat open openat openat2
    pread64 preadv preadv2 pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv removexattr
    rename renameat renameat2 rmdir sendfile setxattr splice stat statfs statx symlink symlinkat
    sync_file_range syncfs tee truncate umask unlink unlinkat utime utimensat utimes vmsplice write writev`,
  memory: `brk madvise mincore mlock mlock2 mlockall mprotect mremap msync munlock munlockall
    munmap pkey_alloc pkey_free pkey_mprotect mseal cachestat map_shadow_stack process_madvise`,
  processes: `arch_prctl capget execve execveat exit exit_group fork getegid geteuid getgid getgroups getpgid
    getpgrp getpid getppid getpriority getresgid getresuid getrlimit getrusage getsid gettid getuid kill
    membarrier pidfd_open pidfd_send_signal prctl restart_syscall rseq sched_get_priority_max
    sched_get_priority_min sched_getaffinity sched_getattr sched_getparam sched_getscheduler
    sched_rr_get_interval sched_setaffinity sched_setattr sched_setparam sched_setscheduler sched_yield
    set_robust_list get_robust_list set_tid_address setpgid setpriority setsid tgkill times tkill
    uname vfork wait4 waitid sysinfo getcpu`,
  // Harmless without capabilities, and package tools call them to drop or keep what they have.
  identity: `capset setfsgid setfsuid setgid setgroups setregid setresgid setresuid setreuid setuid`,
  signals: `pause rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend
    rt_sigtimedwait rt_tgsigqueueinfo sigaltstack signalfd signalfd4 alarm`,
  waiting: `epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 futex
    futex_wait futex_wake futex_waitv futex_requeue pipe pipe2 poll ppoll pselect6 select timerfd_create
    timerfd_gettime timerfd_settime`,
  time: `clock_getres clock_gettime clock_nanosleep getitimer gettimeofday nanosleep setitimer time timer_create
    timer_delete timer_getoverrun timer_gettime timer_settime`,
  systemV: `msgctl msgget msgrcv msgsnd semctl semget semop semtimedop shmat shmctl shmdt shmget
    mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedsend mq_unlink`,
  sockets: `accept accept4 bind connect getpeername getsockname getsockopt listen recvfrom recvmmsg recvmsg sendmmsg
    sendmsg sendto setsockopt shutdown`,
  // Programs confine themselves further with these.
  selfConfinement: `landlock_add_rule landlock_create_ruleset landlock_restrict_self seccomp`,
  random: 'getrandom',
}

/** What buildah with chroot isolation needs beside: it makes namespaces and mounts inside its user namespace. */
const buildGroups = {
  mounts: `mount umount2 pivot_root chroot open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr
    sethostname setdomainname`,
  namespaces: 'setns',
}

const words = (text: string) => text.split(/\s+/).filter((word) => word !== '')

/** CLONE_NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const namespaceFlags =
  0x80 | 0x2_0000 | 0x200_0000 | 0x400_0000 | 0x800_0000 | 0x1000_0000 | 0x2000_0000 | 0x4000_0000

/** CLONE_NEWUSER alone: in a user namespace of its own a build would hold every capability again. */
const userNamespaceFlag = 0x1000_0000

const none = (index: number, flags: number) => ({
  index,
  value: flags,
  valueTwo: 0,
  op: 'SCMP_CMP_MASKED_EQ',
})
const equal = (index: number, value: number) => ({ index, value, op: 'SCMP_CMP_EQ' })
const other = (index: number, value: number) => ({ index, value, op: 'SCMP_CMP_NE' })
const family = (value: number) => equal(0, value)
const kind = (value: number) => ({ index: 1, value: 0xf, valueTwo: value, op: 'SCMP_CMP_MASKED_EQ' })
const [unix, ip4, ip6, netlink] = [1, 2, 10, 16]
const [stream, datagram, sequenced] = [1, 2, 5]
const protocol = (value: number) => equal(2, value)
/** The usual one, and by its own name: others (SCTP, MPTCP, L2TP, SMC) would load code that few have looked at. */
const ipProtocols = [
  ...[0, 6].map((value) => [stream, value] as const),
  ...[0, 17].map((value) => [datagram, value] as const),
]

const allow = (names: string[], args?: SeccompRule['args']): SeccompRule => ({
  names,
  action: 'SCMP_ACT_ALLOW',
  ...(args ? { args } : {}),
})

const socketRules = [
  ...[stream, datagram, sequenced].map((value) => allow(['socket'], [family(unix), kind(value)])),
  ...[ip4, ip6].flatMap((address) =>
    ipProtocols.map(([type, value]) => allow(['socket'], [family(address), kind(type), protocol(value)])),
  ),
  allow(['socket'], [family(netlink), protocol(0)]),
  allow(['socketpair'], [family(unix)]),
]

const MAP_HUGETLB = 0x4_0000
const MFD_HUGETLB = 4
const memoryRules = [allow(['mmap'], [none(3, MAP_HUGETLB)]), allow(['memfd_create'], [none(1, MFD_HUGETLB)])]

/** Answers success and does nothing. */
const pretend = (names: string[], args?: SeccompRule['args']): SeccompRule => ({
  names,
  action: 'SCMP_ACT_ERRNO',
  errnoRet: 0,
  ...(args ? { args } : {}),
})

const RLIMIT_CORE = 4
const limitRules = [
  allow(['setrlimit'], [other(0, RLIMIT_CORE)]),
  pretend(['setrlimit'], [equal(0, RLIMIT_CORE)]),
  allow(['prlimit64'], [other(1, RLIMIT_CORE)]),
  allow(['prlimit64'], [equal(1, RLIMIT_CORE), equal(2, 0)]),
  pretend(['prlimit64'], [equal(1, RLIMIT_CORE), other(2, 0)]),
]

const ENOSYS = 38

/** The profile of a sandbox, as the OCI runtime specification spells it. */
export function seccompProfile(confinement: 'job' | 'build', arch: string): SeccompProfile {
  const common = Object.values(groups).flatMap(words)
  const special =
    confinement === 'build'
      ? [
          allow(Object.values(buildGroups).flatMap(words)),
          allow(['clone', 'unshare'], [none(0, userNamespaceFlag)]),
        ]
      : [allow(['clone', 'unshare'], [none(0, namespaceFlags)])]
  // The usual personality, and the question which one it is.
  const personality = [0, 0xffff_ffff].map((value) => allow(['personality'], [equal(0, value)]))
  return {
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: ENOSYS,
    architectures: [arch === 'arm64' ? 'SCMP_ARCH_AARCH64' : 'SCMP_ARCH_X86_64'],
    syscalls: [
      ...[allow(common), pretend(['sync']), ...special, ...personality],
      ...[...memoryRules, ...limitRules, ...socketRules],
    ],
  }
}
