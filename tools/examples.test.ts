import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'

/* With a service they are run in e2e/main-job. */

const root = resolve(import.meta.dirname, '..')
const home = mkdtempSync(join(tmpdir(), 'examples-'))
afterAll(() => rmSync(home, { recursive: true }))

/** As a person runs it, on a machine whose own Node is too old or absent. */
const run = (args: string[], cwd = root) => {
  const env = { PATH: '/usr/bin:/bin', HOME: home }
  return spawnSync(join(root, 'examples/run'), args, { cwd, env, encoding: 'utf8' })
}

test.each(['agent-loop', 'shared-credential'])(
  'the command that the README of %s shows starts the example',
  (name) => {
    const readme = readFileSync(join(root, `examples/${name}/README.md`), 'utf8')
    const [, command = ''] = /```\nSANDBOX_PASSWORD=\S+ \S+ (.*)\n```/.exec(readme) ?? []
    expect(command).toBe(`examples/run ${name}`)
    const { status, stderr } = run([name], home)
    expect([status, stderr]).toEqual([1, expect.stringContaining('SANDBOX_PASSWORD has the password')])
  },
)

test('an unknown example is refused with the names', () => {
  expect(run(['none'])).toMatchObject({ status: 2, stderr: expect.stringContaining('agent-loop') })
})
