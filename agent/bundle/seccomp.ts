import type { SandboxRuntime } from '../port/sandbox-spec.ts'

/**
 * The system calls that a sandbox may make, in groups, each with its reason. Every other call returns "function not
 * implemented", which programs that support older kernels handle; `refused-calls.ts` has the reason of each. Some calls are
 * allowed with certain arguments only.
 *
 * Some return success without effect: sync, which would flush everybody's disks, changes of the core file limit (see
 * "rlimits" in spec.ts), and advice about memory that others share.
 */
export interface SeccompRule {
  names: string[]
  action: 'SCMP_ACT_ALLOW' | 'SCMP_ACT_ERRNO'
  errnoRet?: number
  args?: { index: number; value: number; valueTwo?: number; op: string }[]
}

export interface SeccompProfile {
  defaultAction: 'SCMP_ACT_ERRNO' | 'SCMP_ACT_TRACE'
  defaultErrnoRet: number
  architectures: string[]
  syscalls: SeccompRule[]
}

const groups = {
  // Only on its own files: it can name its image, its workspace and its /proc, and without a capability the kernel checks
  // the owner. mknod makes pipes and sockets; the user namespace refuses devices. fcntl, fadvise64 and ioctl are below.
  files: `access chdir chmod chown close close_range copy_file_range creat dup dup2 dup3 faccessat faccessat2
    fallocate fchdir fchmod fchmodat fchmodat2 fchown fchownat fdatasync fgetxattr flistxattr
    flock fremovexattr fsetxattr fstat fstatfs fsync ftruncate futimesat getcwd getdents getdents64 getxattr
    lchown lgetxattr link linkat listxattr
    llistxattr lremovexattr lseek lsetxattr lstat mkdir mkdirat mknod mknodat newfstatat open openat openat2
    pread64 preadv preadv2 pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv removexattr
    rename renameat renameat2 rmdir sendfile setxattr splice stat statfs statx symlink symlinkat
    sync_file_range syncfs tee truncate umask unlink unlinkat utime utimensat utimes vmsplice write writev`,
  // On its own address space, counted in its control group; the mlock limit is 0. mmap and madvise are below.
  memory: `brk mincore mlock mlock2 mlockall mprotect mremap msync munlock munlockall
    munmap pkey_alloc pkey_free pkey_mprotect mseal map_shadow_stack`,
  // On its own processes: the pid namespace has no others. It may lower its priority, not raise it. clone is below.
  processes: `arch_prctl capget execve execveat exit exit_group fork getegid geteuid getgid getgroups getpgid
    getpgrp getpid getppid getpriority getresgid getresuid getrlimit getrusage getsid gettid getuid kill
    membarrier pidfd_open pidfd_send_signal prctl restart_syscall rseq sched_get_priority_max
    sched_get_priority_min sched_getaffinity sched_getattr sched_getparam sched_getscheduler
    sched_rr_get_interval sched_setaffinity sched_setattr sched_setparam sched_setscheduler sched_yield
    set_robust_list get_robust_list set_tid_address setpgid setpriority setsid tgkill times tkill
    uname vfork wait4 waitid sysinfo getcpu`,
  // Harmless without capabilities; package tools call them to drop or keep theirs.
  identity: `capset setfsgid setfsuid setgid setgroups setregid setresgid setresuid setreuid setuid`,
  // To its own processes; the number of queued signals is limited.
  signals: `pause rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend
    rt_sigtimedwait rt_tgsigqueueinfo sigaltstack signalfd signalfd4 alarm`,
  // Needed by event loops and locks. pipe2 is below.
  waiting: `epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 futex
    futex_wait futex_wake futex_waitv futex_requeue pipe poll ppoll pselect6 select timerfd_create
    timerfd_gettime timerfd_settime`,
  // Reads clocks and timers; setting a clock needs a capability and is not allowed.
  time: `clock_getres clock_gettime clock_nanosleep getitimer gettimeofday nanosleep setitimer time timer_create
    timer_delete timer_getoverrun timer_gettime timer_settime`,
  // Used by databases and language runtimes; the ipc namespace holds only the job's own objects.
  systemV: `msgctl msgget msgrcv msgsnd semctl semget semop semtimedop shmat shmctl shmdt shmget
    mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedsend mq_unlink`,
  // On existing sockets: the permitted kinds are below, and the network rules limit destinations.
  sockets: `accept accept4 bind connect getpeername getsockname getsockopt listen recvfrom recvmmsg recvmsg
    setsockopt shutdown`,
  // Programs use these to confine themselves further.
  selfConfinement: `landlock_add_rule landlock_create_ruleset landlock_restrict_self seccomp`,
  // Random bytes for keys and seeds; without side effects.
  random: 'getrandom',
}

/** Further calls for buildah with chroot isolation: it makes namespaces and mounts inside its one user namespace. */
const buildGroups = {
  mounts: `mount umount2 pivot_root chroot open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr
    sethostname setdomainname`,
  namespaces: 'setns',
}

const words = (text: string) => text.split(/\s+/).filter((word) => word !== '')

/** CLONE_NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const namespaceFlags =
  0x80 | 0x2_0000 | 0x200_0000 | 0x400_0000 | 0x800_0000 | 0x1000_0000 | 0x2000_0000 | 0x4000_0000

/** CLONE_NEWUSER: in a new user namespace a build would have every capability again. */
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
/** The default protocol, also by its number: others (SCTP, MPTCP, L2TP, SMC) would load rarely reviewed kernel code. */
const ipProtocols = [
  ...[0, 6].map((value) => [stream, value] as const),
  ...[0, 17].map((value) => [datagram, value] as const),
]

const allow = (names: string[], args?: SeccompRule['args']): SeccompRule => ({
  names,
  action: 'SCMP_ACT_ALLOW',
  ...(args ? { args } : {}),
})

/** Local sockets, TCP, UDP and route netlink: other families and protocols are rarely reviewed kernel code. */
const socketRules = [
  ...[stream, datagram, sequenced].map((value) => allow(['socket'], [family(unix), kind(value)])),
  ...[ip4, ip6].flatMap((address) =>
    ipProtocols.map(([type, value]) => allow(['socket'], [family(address), kind(type), protocol(value)])),
  ),
  allow(['socket'], [family(netlink), protocol(0)]),
  // For other families the kernel would load and enter their code before it refuses.
  allow(['socketpair'], [family(unix)]),
]

const MSG_OOB = 1
const O_NOTIFICATION_PIPE = 0x80
/** Urgent bytes of local sockets, and notification pipes: unused, and both had exploitable kernel bugs. */
const rareFlagRules = [
  allow(['sendmsg'], [none(2, MSG_OOB)]),
  allow(['sendto', 'sendmmsg'], [none(3, MSG_OOB)]),
  allow(['pipe2'], [none(1, O_NOTIFICATION_PIPE)]),
]

const MAP_HUGETLB = 0x4_0000
const MFD_HUGETLB = 4
/** Huge pages come from a pool of the machine that no limit covers. */
const memoryRules = [allow(['mmap'], [none(3, MAP_HUGETLB)]), allow(['memfd_create'], [none(1, MFD_HUGETLB)])]

/** The call returns success without effect. */
const fakeSuccess = (names: string[], args?: SeccompRule['args']): SeccompRule => ({
  names,
  action: 'SCMP_ACT_ERRNO',
  errnoRet: 0,
  ...(args ? { args } : {}),
})

const RLIMIT_CORE = 4
/** Allowed by exact number: the kernel reads only half of the argument, so a rule "not 4" would let a disguised 4 through. */
const otherLimits = [...Array(16).keys()].filter((limit) => limit !== RLIMIT_CORE)
const limitRules = [
  ...otherLimits.map((limit) => allow(['setrlimit'], [equal(0, limit)])),
  fakeSuccess(['setrlimit'], [equal(0, RLIMIT_CORE)]),
  ...otherLimits.map((limit) => allow(['prlimit64'], [equal(1, limit)])),
  allow(['prlimit64'], [equal(1, RLIMIT_CORE), equal(2, 0)]),
  fakeSuccess(['prlimit64'], [equal(1, RLIMIT_CORE), other(2, 0)]),
]

/**
 * Allowed commands of fcntl: descriptors and their flags (0 to 4), record locks (5 to 7), input signals (8 to 11, 15, 16), open
 * file locks (36 to 38), pipes (1030 to 1032), seals (1033, 1034). Not leases (1024), which block others that open the file,
 * not folder watches (1026), not hints that stay with the file (from 1036).
 */
const controls = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 15, 16, 36, 37, 38, 1030, 1031, 1032, 1033, 1034]
const controlRules = controls.map((command) => allow(['fcntl'], [equal(1, command)]))

/**
 * Allows a call unless its argument `index`, of 32 bits, is `refused`: one rule for each bit in which another value differs. A
 * rule "not refused" would compare all 64 bits, of which the kernel ignores the upper half.
 */
const allowOthers = (name: string, index: number, refused: number): SeccompRule[] =>
  [...Array(32).keys()].map((bit) => {
    const value = 2 ** bit
    const differs = refused & value ? 0 : value
    return allow([name], [{ index, value, valueTwo: differs, op: 'SCMP_CMP_MASKED_EQ' }])
  })

const TIOCSETD = 0x5423
/** Another line discipline on a terminal: rarely reviewed kernel code, which the kernel may load for it. */
const terminalRules = allowOthers('ioctl', 1, TIOCSETD)

const POSIX_FADV_DONTNEED = 4
const MADV_MERGEABLE = 12
const MADV_COLD = 20
const MADV_PAGEOUT = 21
/** Advice about pages that others may use too: evict them, or merge equal ones. */
const sharedAdvice = [MADV_MERGEABLE, MADV_COLD, MADV_PAGEOUT]
/** All other advice that needs no capability: readahead, inheritance by forks, contents of dumps, huge pages, freeing memory. */
const ownAdvice = [0, 1, 2, 3, 4, 8, 9, 10, 11, 13, 14, 15, 16, 17, 18, 19, 22, 23, 24, 102, 103]
const adviceRules = [
  ...[0, 1, 2, 3, 5].map((advice) => allow(['fadvise64'], [equal(3, advice)])),
  fakeSuccess(['fadvise64'], [equal(3, POSIX_FADV_DONTNEED)]),
  ...ownAdvice.map((advice) => allow(['madvise'], [equal(2, advice)])),
  ...sharedAdvice.map((advice) => fakeSuccess(['madvise'], [equal(2, advice)])),
]

const ENOSYS = 38

interface ProfileOptions {
  confinement: 'job' | 'build'
  arch: string
  runtime: SandboxRuntime
}

/**
 * Both return ENOSYS. gVisor supports only the error "not permitted", after which programs do not fall back: without clone3
 * none could start a thread. The trace action without a tracer, which nobody in a sandbox can be, also returns ENOSYS.
 */
const defaultActions = {
  crun: 'SCMP_ACT_ERRNO',
  launcher: 'SCMP_ACT_ERRNO',
  runsc: 'SCMP_ACT_TRACE',
} as const

/** The seccomp profile of a sandbox, in the format of the OCI runtime specification. */
export function seccompProfile({ confinement, arch, runtime }: ProfileOptions): SeccompProfile {
  const common = Object.values(groups).flatMap(words)
  const special =
    confinement === 'build'
      ? [
          allow(Object.values(buildGroups).flatMap(words)),
          allow(['clone', 'unshare'], [none(0, userNamespaceFlag)]),
        ]
      : [allow(['clone', 'unshare'], [none(0, namespaceFlags)])]
  // The default personality, and the query of the present one.
  const personality = [0, 0xffff_ffff].map((value) => allow(['personality'], [equal(0, value)]))
  // gVisor handles advice itself: it never reaches a shared file.
  const advice = runtime === 'runsc' ? [allow(['fadvise64', 'madvise'])] : adviceRules
  return {
    defaultAction: defaultActions[runtime],
    defaultErrnoRet: ENOSYS,
    architectures: [arch === 'arm64' ? 'SCMP_ARCH_AARCH64' : 'SCMP_ARCH_X86_64'],
    syscalls: [
      ...[allow(common), fakeSuccess(['sync']), ...special, ...personality],
      ...[...memoryRules, ...limitRules, ...controlRules, ...terminalRules, ...advice],
      ...[...socketRules, ...rareFlagRules],
    ],
  }
}
