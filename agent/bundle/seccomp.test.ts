import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { refusedCalls } from './refused-calls.ts'
import { seccompProfile } from './seccomp.ts'

const callsOf = (confinement: 'job' | 'build') =>
  new Set(
    seccompProfile({ confinement, arch: 'x64', runtime: 'crun' }).syscalls.flatMap(({ names }) => names),
  )
const refused = refusedCalls.flatMap(({ calls }) => calls)
const header = readFileSync('/usr/include/x86_64-linux-gnu/asm/unistd_64.h', 'utf8')
const known = [...header.matchAll(/^#define __NR_(\w+) \d+$/gm)].map(([, name = '']) => name)

test('every system call of the kernel is either allowed or refused for a stated reason', () => {
  const job = callsOf('job')
  expect(known.filter((name) => !job.has(name) && !refused.includes(name))).toEqual([])
  expect(refused.filter((name) => job.has(name))).toEqual([])
  expect(refused).toHaveLength(new Set(refused).size)
})

test('a build may make the calls of a job, and in addition only those for mounts, roots, names and namespaces', () => {
  const [job, build] = [callsOf('job'), callsOf('build')]
  expect([...job].filter((name) => !build.has(name))).toEqual([])
  expect([...build].filter((name) => !job.has(name)).sort()).toEqual(
    `chroot fsconfig fsmount fsopen fspick mount mount_setattr move_mount open_tree pivot_root setdomainname
    sethostname setns umount2`.split(/\s+/),
  )
})

test('an unnamed call returns ENOSYS', () => {
  const job = { confinement: 'job', arch: 'x64' } as const
  expect(seccompProfile({ ...job, runtime: 'runsc' }).defaultAction).toBe('SCMP_ACT_TRACE')
  expect(seccompProfile({ ...job, runtime: 'crun' })).toMatchObject({
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: 38,
    architectures: ['SCMP_ARCH_X86_64'],
  })
})
