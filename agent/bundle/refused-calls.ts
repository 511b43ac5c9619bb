/** Calls that a job may not make, and why. Calls of newer kernels are refused until they are added to the filter. */
export interface RefusedCalls {
  why: string
  calls: string[]
}

const refused = (why: string, calls: string): RefusedCalls => ({ why, calls: calls.trim().split(/\s+/) })

/**
 * All calls of x86-64 that the filter refuses; a test compares both lists with the kernel's. The filter does not use this
 * list: it refuses every call that it does not name.
 */
export const refusedCalls: RefusedCalls[] = [
  refused('enter namespaces; builds need it inside their own', 'setns'),
  refused(
    'make processes by flags in memory, which a filter cannot read; programs fall back to clone',
    'clone3',
  ),
  refused(
    'make file systems and change roots, the code behind most ways out of containers; builds need it inside their own',
    `mount umount2 pivot_root chroot open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr sethostname
    setdomainname`,
  ),
  refused(
    'open files by a number of the file system, past every path and mount',
    'name_to_handle_at open_by_handle_at',
  ),
  refused('reach keys of others: keyrings are not separated by container', 'add_key request_key keyctl'),
  refused(
    'read, change or compare other processes; of its own a program needs none of it',
    'ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd process_mrelease process_madvise',
  ),
  refused(
    'give programs to the kernel, or hold its work up at a chosen place: large, often broken, and the tool of most exploits',
    'bpf perf_event_open userfaultfd io_uring_setup io_uring_enter io_uring_register',
  ),
  refused(
    'take from one number for the whole machine: 65536 asynchronous events',
    'io_setup io_destroy io_getevents io_pgetevents io_submit io_cancel',
  ),
  refused(
    'take from one number for all that root has started: 128 watchers; programs fall back to polling',
    'inotify_init inotify_init1 inotify_add_watch inotify_rm_watch fanotify_init fanotify_mark',
  ),
  refused('reveal which parts of a file others have read recently', 'cachestat'),
  refused(
    'hold memory that no limit moves or counts, or choose where on the machine it lies',
    `memfd_secret mbind set_mempolicy get_mempolicy set_mempolicy_home_node migrate_pages move_pages`,
  ),
  refused(
    'reach for devices and the processor’s own tables',
    'iopl ioperm modify_ldt set_thread_area get_thread_area',
  ),
  refused(
    'load code into the kernel or another kernel',
    `init_module finit_module delete_module create_module query_module get_kernel_syms kexec_load kexec_file_load`,
  ),
  refused(
    'set clocks for everybody; reading one has calls of its own',
    'settimeofday clock_settime clock_adjtime adjtimex',
  ),
  refused(
    'administer the machine: its log, disks, quotas, accounts, terminals and end',
    `syslog swapon swapoff quotactl quotactl_fd acct vhangup reboot lookup_dcookie`,
  ),
  refused('take the disk before others', 'ioprio_set ioprio_get'),
  refused(
    'are obsolete',
    `uselib ustat sysfs _sysctl nfsservctl getpmsg putpmsg afs_syscall tuxcall security vserver epoll_ctl_old
    epoll_wait_old remap_file_pages`,
  ),
]
