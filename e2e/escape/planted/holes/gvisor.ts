import { edit, type Hole } from './hole.ts'

export const ofGvisor: Hole[] = [
  {
    name: 'no filter inside gVisor',
    edits: [
      edit('bundle/runtimes.ts', "'--oci-seccomp', ", ''),
      edit('native/init/init.c', '!= SECCOMP_MODE_FILTER', '< 0'),
    ],
    tries: ['system calls'],
    runtime: 'runsc',
  },
  {
    name: 'no count of processes',
    edits: [edit('bundle/spec.ts', "gvisor ? [{ type: 'RLIMIT_NPROC'", "!gvisor ? [{ type: 'RLIMIT_NPROC'")],
    tries: ['resources/forks_counted'],
    runtime: 'runsc',
  },
  {
    name: 'a /tmp without bound',
    edits: [edit('bundle/spec.ts', '...(gvisor ? gvisorMounts : [])', '...[]')],
    tries: ['resources/tmp_full'],
    runtime: 'runsc',
  },
]
