import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { raiseSessionPriority } from './session-priority.ts'

/** The priority of the process's session; undefined on a kernel that does not divide processors by session. */
const priorityOf = (pid: number) =>
  existsSync('/proc/self/autogroup')
    ? Number(readFileSync(`/proc/${pid}/autogroup`, 'utf8').split(' nice ')[1])
    : undefined

it('raises a session, but none that it starts', async () => {
  const child = spawn('sh', ['-c', 'read go; setsid sh -c "echo \\$\\$; sleep 60"'], { detached: true })
  const pid = child.pid ?? 0
  raiseSessionPriority(pid)
  child.stdin.write('go\n')
  const inner = Number((await once(child.stdout, 'data'))[0])
  onTestFinished(() => {
    process.kill(-inner, 'SIGKILL')
  })
  expect([priorityOf(pid), priorityOf(inner)]).toEqual(
    priorityOf(pid) === undefined ? [undefined, undefined] : [-5, 0],
  )
})

it('does nothing for a process that has ended', () => {
  expect(() => raiseSessionPriority(2 ** 22 + 1)).not.toThrow()
})
