import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { documentedCommands, documentedExamples } from '../e2e/first-hour/example-commands.ts'

/* With a service they are run in e2e/main-job and e2e/first-hour, and those of examples/README.md in e2e/presets. */

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

test('the commands for the sales report without the service leave its summary, its chart and its table', () => {
  const [without = []] = documentedCommands('sales-report').filter((lines) => lines[0]?.startsWith('cd '))
  const script = without.join('\n').replaceAll('/tmp', home)
  const { status, stderr } = spawnSync('sh', ['-ec', script], { cwd: root, encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  expect(JSON.parse(readFileSync(join(home, 'summary.json'), 'utf8'))).toHaveProperty('best_product')
  for (const name of ['chart.svg', 'by-month.csv'])
    expect(readFileSync(join(home, name), 'utf8')).not.toBe('')
})

test('each command of a README is one that a test runs', () => {
  const folders = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' })
  const readmes = folders.filter((path) => path.endsWith('README.md')).map((path) => dirname(path))
  const withoutCommands = ['proxy']
  expect(withoutCommands.flatMap((name) => documentedCommands(name))).toEqual([])
  expect(readmes.toSorted()).toEqual(['.', ...documentedExamples, ...withoutCommands].toSorted())
  const lines = documentedExamples.flatMap((name) => documentedCommands(name).flat())
  const isRun =
    /^(sudo )?sandbox (operator base-image add|env push|task publish|run|links|artifacts get|logs) |^SANDBOX_PASSWORD=\S+ \S+ examples\/run [a-z-]+$|^cd examples\/|^SERVICE_\S+/
  expect(lines.filter((line) => !isRun.test(line))).toEqual([])
  expect(documentedCommands('.').flat()).toEqual([
    'sandbox deploy examples/python-packages',
    'sandbox run python-packages --room daily-numbers --input examples/python-packages/input.json --watch',
  ])
})
