import { readFileSync } from 'node:fs'
import { seccompProfile } from '../../../agent/bundle/seccomp.ts'
import type { Attempt, Table } from '../attempt.ts'

const header = '/usr/include/x86_64-linux-gnu/asm/unistd_64.h'
/** Newer than the header of Debian 12. */
const newer: [string, number][] = [
  ...([
    ['cachestat', 451],
    ['fchmodat2', 452],
    ['map_shadow_stack', 453],
  ] as [string, number][]),
  ...([
    ['futex_wake', 454],
    ['futex_wait', 455],
    ['futex_requeue', 456],
  ] as [string, number][]),
  ...([
    ['statmount', 457],
    ['listmount', 458],
    ['lsm_get_self_attr', 459],
  ] as [string, number][]),
  ...([
    ['lsm_set_self_attr', 460],
    ['lsm_list_modules', 461],
    ['mseal', 462],
  ] as [string, number][]),
  ...([
    ['setxattrat', 463],
    ['getxattrat', 464],
    ['listxattrat', 465],
  ] as [string, number][]),
  ...([
    ['removexattrat', 466],
    ['open_tree_attr', 467],
    ['file_getattr', 468],
  ] as [string, number][]),
  ...([
    ['file_setattr', 469],
    ['listns', 470],
  ] as [string, number][]),
]

/** Calls that the filter names at all; calls that it lets through for some arguments only are in other tables. */
const named = new Set(
  seccompProfile({ confinement: 'job', arch: 'x64', runtime: 'crun' }).syscalls.flatMap(({ names }) => names),
)

/** The answer of the filter: that there is no such call. */
const answer = 38

/** Every system call of x86-64 that no rule names. */
export function systemCalls(): Table {
  const known = [...readFileSync(header, 'utf8').matchAll(/^#define __NR_(\w+) (\d+)$/gm)].map(
    ([, name = '', number]): [string, number] => [name, Number(number)],
  )
  const all = new Map([...known, ...newer])
  return {
    class: 'system calls',
    attempts: [
      ...[...all].filter(([name]) => !named.has(name)).map(([name, number]) => call(name, number)),
      { name: 'int80', what: 'a call of 32 bits, which the filter cannot read', command: 'probe int80' },
      { name: 'x32_getpid', what: 'a call by its x32 number', command: `probe x32 39 ${answer}` },
      { name: 'x32_ptrace', what: 'a call by its x32 number', command: `probe x32 521 ${answer}` },
    ],
  }
}

const call = (name: string, number: number): Attempt => ({
  name: `call_${name}`,
  what: `the system call ${name}, with empty arguments`,
  command: `probe syscall ${number} ${answer}`,
})
