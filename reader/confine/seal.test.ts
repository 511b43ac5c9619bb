import { execFile, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testConfinement } from '../../testing/test-readers.ts'

const { EPERM } = constants.errno
const folder = mkdtempSync(join(tmpdir(), 'sandbox-seal-'))
const probe = join(folder, 'seal-probe')
const other = spawn('sleep', ['infinity'], { stdio: 'ignore' })
afterAll(() => {
  other.kill()
  rmSync(folder, { recursive: true })
})

let said: string[]
beforeAll(async () => {
  const source = join(import.meta.dirname, 'seal-probe.c')
  execFileSync('cc', ['-O2', '-Wall', '-Wextra', '-Werror', '-std=gnu11', '-pthread', '-o', probe, source])
  const { readerStart, seal } = testConfinement()
  const limits = [String(256 * 1024 ** 2), '20']
  const { stdout } = await promisify(execFile)(readerStart, [
    'direct',
    ...limits,
    seal,
    probe,
    `${other.pid}`,
  ])
  said = stdout.trim().split('\n')
})

const startingWith = (word: string) => said.filter((line) => line.startsWith(`${word} `))

/** System calls that the seal permits, and why; without those that would end the probe or block it. */
const permitted = {
  pipes: { read: 0, write: 1, close: 3, fstat: 5, lseek: 8, readv: 19, writev: 20, shutdown: 48 },
  waiting: {
    ...{ poll: 7, sched_yield: 24, nanosleep: 35, futex: 202, restart_syscall: 219, clock_nanosleep: 230 },
    ...{ epoll_wait: 232, epoll_ctl: 233, epoll_pwait: 281 },
  },
  memory: { mmap: 9, mprotect: 10, munmap: 11, brk: 12, mremap: 25, madvise: 28, membarrier: 324 },
  itself: {
    ...{ getpid: 39, gettimeofday: 96, getrusage: 98, sysinfo: 99, gettid: 186, sched_getaffinity: 204 },
    ...{ clock_gettime: 228, clock_getres: 229, getrandom: 318 },
  },
  signals: { rt_sigaction: 13, rt_sigprocmask: 14, sigaltstack: 131 },
  threads: { set_robust_list: 273, rseq: 334 },
}

test('the kernel refuses after the seal what a reader could do before it', () => {
  const names = ['file', 'socket', 'signal', 'memory_file', 'memory', 'process_made', 'dumpable']
  expect(startingWith('before')).toEqual(names.map((name) => `before ${name} 0`))
  expect(startingWith('sealed')).toEqual(['sealed 1'])
  expect(startingWith('after')).toEqual(names.map((name) => `after ${name} ${EPERM}`))
})

test('a thread from before the seal is sealed, and one created after it runs', () => {
  expect(startingWith('thread')).toEqual([`thread ${EPERM}`])
  expect(startingWith('fresh')).toEqual(['fresh 0'])
})

test('permits only the system calls that reading needs', () => {
  const expected = Object.values(permitted).flatMap((group) => Object.values(group))
  expect(startingWith('let').map((line) => Number(line.slice('let '.length)))).toEqual(
    expected.toSorted((a, b) => a - b),
  )
  expect(said.at(-1)).toBe('end')
})
