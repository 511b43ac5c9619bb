import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SandboxSpec } from '../../agent/port/sandbox-spec.ts'
import { BuilderBench } from '../../testing/builds/builder-bench.ts'
import { withUnconfinedSteps } from '../../testing/builds/unconfined-steps.ts'
import { testBase } from './dockerfile-cases.ts'

let bench: BuilderBench
beforeAll(async () => {
  bench = await BuilderBench.start()
})
afterAll(() => bench.dispose())

const program = readFileSync(join(import.meta.dirname, 'leave-chroot.py'), 'utf8')
const build = (steps: string[], weakened?: (spec: SandboxSpec) => SandboxSpec) =>
  bench.build(
    [
      [{ name: 'context/leave.py' }, program],
      [{ name: 'context/Dockerfile' }, [`FROM ${testBase}`, 'COPY leave.py /', ...steps, ''].join('\n')],
    ],
    [testBase],
    weakened,
  )

test('a step has no way out of the chroot that it runs in', async () => {
  const { exit, log } = await build(['RUN python3 /leave.py'])
  const outcomes = [...log.matchAll(/^(\w+) (got|refused|untried|tried)/gm)]
  expect(outcomes.filter(([, , outcome]) => outcome !== 'refused').map(([line]) => line)).toEqual([
    'all tried',
  ])
  expect(outcomes).toHaveLength(26)
  expect(exit).toMatchObject({ cause: 'exited', exitCode: 0 })
})

test.each([
  [
    'the builder',
    'for p in $(ls /proc | grep "^[0-9]"); do case $p in 1 | $$) ;; *) kill -9 $p ;; esac; done',
  ],
  ['its shell', 'kill -9 2; sleep 5'],
])('a step that kills %s gets no image', async (_name, command) => {
  const { exit, image } = await build([`RUN ${command}`])
  expect(exit.exitCode).not.toBe(0)
  expect(image).toBe('none')
})

test('a builder with unconfined steps is detected', async () => {
  const { log } = await build(['RUN python3 /leave.py'], withUnconfinedSteps)
  for (const name of ['chroot', 'chroot_twice', 'chroot_with_descriptor', 'capabilities'])
    expect(log).toContain(`\n${name} got\n`)
})

test('steps keep the root rights that they need', async () => {
  const { exit, log } = await build([
    'RUN touch /a && chown 33:33 /a && chmod 4755 /a && python3 -c "import os; os.setuid(33); os.kill(os.getpid(), 0)"',
    'RUN mkfifo /pipe && [ "$(stat -c %u:%a /a)" = 33:4755 ]',
    'USER 33',
    'RUN [ $(id -u) = 33 ] && ! touch /b',
  ])
  expect(exit, log).toMatchObject({ cause: 'exited', exitCode: 0 })
})
