import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runCli } from '../../testing/run-cli.ts'

/* On the real crun, with an empty folder as the image: the platform's shell is added to it. */

let home: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'cli-local-'))
  mkdirSync(join(home, 'rootfs/app'), { recursive: true })
  mkdirSync(join(home, 'tmp'))
  writeFileSync(join(home, 'rootfs/app/known'), 'of the image\n')
})
afterEach(() => rmSync(home, { recursive: true }))

/** Writes a task with that work script. */
function task(work: string, more = ''): void {
  mkdirSync(join(home, 'task'), { recursive: true })
  const fields = `name: report\nenvironment: report\nwork_script: work.sh\n${more}`
  writeFileSync(join(home, 'task/task.yaml'), fields)
  writeFileSync(join(home, 'task/work.sh'), work)
}
const local = (args: string[] = [], env: Record<string, string> = {}) =>
  runCli(['run', '--local', 'task', '--rootfs', 'rootfs', '--no-network', ...args], {
    home,
    env: { TMPDIR: join(home, 'tmp'), ...env },
  })

/** Temporary files that a run has left. */
const residue = () => readdirSync(join(home, 'tmp'))

describe('a run without a service', () => {
  test('finds what a run on the service finds, and leaves the image as it was', async () => {
    writeFileSync(join(home, 'rows.csv'), 'a,b\n')
    task(
      `cat "$SERVICE_INPUTS_FILE" inputs/rows.csv /app/known
echo "$GREETING $TOKEN $GIVEN $PWD" >&2
grep -q '^CapEff:.0*$' /proc/self/status && touch /app/more /app/known
mkdir -p "$SERVICE_ARTIFACTS_DIR/sub"; echo chart > "$SERVICE_ARTIFACTS_DIR/sub/chart.csv"
case $SERVICE_RUN_ID in run_????????????????????????????????) echo '{"ok":true}' > "$SERVICE_OUTPUT_FILE"; esac
`,
      'startup_script: start.sh\nordinary_env: { GREETING: "it\'s" }\nsecret_slots: [TOKEN, OTHER]\ninput_example: { b: 1 }\n',
    )
    writeFileSync(join(home, 'task/start.sh'), 'GIVEN=started')
    const run = await local(['--file', 'rows.csv', '--out', 'results'], { TOKEN: 'se"cret' })
    expect(run).toMatchObject({ exitCode: 0, stdout: '{"ok":true}\n' })
    expect(run.stderr).toContain('{"b":1}a,b\nof the image\nit\'s se"cret started /workspace\n')
    expect(run.stderr).toMatch(/This is no isolation.*No value for OTHER.*artifact sub\/chart.csv/s)
    expect(readFileSync(join(home, 'results/sub/chart.csv'), 'utf8')).toBe('chart\n')
    expect(readdirSync(join(home, 'rootfs'))).toEqual(['app'])
    expect(readdirSync(join(home, 'rootfs/app'))).toEqual(['known'])
    expect(residue()).toEqual([])
  })

  test('takes fields from the command line, and says with --json what it found', async () => {
    task('cat "$SERVICE_INPUTS_FILE"; echo done; ln -s /etc artifacts/link')
    const { exitCode, stdout } = await local(['--set', 'n=2', '--input', '{ "m" : 1 }', '--json'])
    const lines = stdout.trimEnd().split('\n')
    expect(exitCode).toBe(0)
    const log = lines.slice(0, -1).map((line) => (JSON.parse(line) as { text: string }).text)
    expect(log.join('')).toBe('{"m":1,"n":2}done\n')
    const remarks = [{ code: 'no_output' }, { code: 'artifacts_refused', rule: 'symlink', path: 'link' }]
    const result = { status: 'completed', exit_code: 0, output: null, artifacts: [], remarks }
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject(result)
  })

  test('says that the output is empty', async () => {
    task(': > "$SERVICE_OUTPUT_FILE"')
    const run = await local()
    expect(run).toMatchObject({ exitCode: 0, stdout: '' })
    expect(run.stderr).toContain(
      'The run wrote no output: the file at the path in SERVICE_OUTPUT_FILE was empty',
    )
  })
})

describe('its end', () => {
  test.each([
    ['exit 3', 3, 'work_exit_nonzero'],
    ['echo slow; sleep 600 & sleep 600', 124, 'timeout'],
    // Not a pipe, whose status would be that of its last program.
    ['tail -c 2000000000 /dev/zero > /dev/null', 125, 'out_of_memory'],
    ['ln -s /etc/passwd "$SERVICE_OUTPUT_FILE"', 125, 'output_invalid'],
  ])('%s is exit code %i, %s', async (work, exitCode, code) => {
    task(work, `timeout_seconds: ${code === 'timeout' ? 2 : 60}\n`)
    const run = await local()
    expect(run).toMatchObject({ exitCode, stdout: '' })
    expect(run.stderr).toContain(code)
    expect(residue()).toEqual([])
  })

  test('what is written is bounded by the workspace of the profile', async () => {
    task('dd if=/dev/zero of=/app/large bs=1M count=600 && echo "{}" > output.json')
    const run = await local()
    expect(run).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('No space left') })
  })

  /** Runs the task and sends Ctrl-C each time the next of these texts has appeared. */
  async function interruptedAt(...texts: string[]) {
    const words = ['run', '--local', 'task', '--rootfs', 'rootfs', '--no-network']
    const child = spawn(resolve(import.meta.dirname, '../../../sandbox'), words, {
      cwd: home,
      env: { PATH: `${join(home, 'bin')}:/usr/bin:/bin`, TMPDIR: join(home, 'tmp') },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const waiting = [...texts]
    let said = ''
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      const [next] = waiting
      if (next === undefined || !said.includes(next)) return
      waiting.shift()
      child.kill('SIGINT')
    })
    await once(child, 'close')
    return { exitCode: child.exitCode, said }
  }

  /** crun that says when it is called, and begins a second later. */
  function slowCrun(): void {
    mkdirSync(join(home, 'bin'))
    const script =
      '#!/bin/sh\n[ "$1" = --version ] || { echo starting >&2; sleep 1; }\nexec /usr/bin/crun "$@"\n'
    writeFileSync(join(home, 'bin/crun'), script, { mode: 0o755 })
  }

  /** Processes of this machine with that text in their command line. */
  const processesWith = (text: string): string[] =>
    readdirSync('/proc').filter((entry) => {
      try {
        return /^\d+$/.test(entry) && readFileSync(`/proc/${entry}/cmdline`, 'utf8').includes(text)
      } catch {
        return false
      }
    })

  test('Ctrl-C cancels it', async () => {
    task('echo asleep; sleep 600')
    expect(await interruptedAt('asleep')).toMatchObject({
      exitCode: 125,
      said: expect.stringContaining('ended as cancelled'),
    })
    expect(residue()).toEqual([])
  })

  test('Ctrl-C cancels it before its program has started', async () => {
    slowCrun()
    task('echo asleep; sleep 600')
    const { exitCode, said } = await interruptedAt('starting')
    expect([exitCode, said]).toEqual([125, expect.stringContaining('ended as cancelled')])
    expect(said).not.toContain('asleep')
    expect(residue()).toEqual([])
  })

  test.each(['asleep', 'starting'])(
    'a second Ctrl-C leaves no program running, the first at: %s',
    async (at) => {
      slowCrun()
      const seconds = `${600 + Math.random()}`
      task(`trap '' INT TERM; echo asleep; sleep ${seconds}`)
      const { exitCode } = await interruptedAt(at, 'Ctrl-C again')
      expect(exitCode).toBe(130)
      // Longer than crun takes to start, and the kill to be repeated.
      await new Promise((resolve_) => setTimeout(resolve_, 1500))
      expect(processesWith(seconds)).toEqual([])
      expect(processesWith(home)).toEqual([])
    },
  )
})

test('what cannot be run is one error with a hint', async () => {
  task('')
  const run = (...args: string[]) => runCli(['run', '--local', ...args], { home })
  expect(await run('task')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--rootfs') })
  expect(await run('nothing')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('no such file') })
  expect(await run('task', '--rootfs', 'none')).toMatchObject({ exitCode: 2 })
  expect(await run('task', '--room', 'daily')).toMatchObject({ exitCode: 2 })
  expect(await run('task', '--image', 'x', '--engine', 'docker')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('docker cannot be used on this machine'),
  })
  expect(await runCli(['run'], { home })).toMatchObject({ exitCode: 2, stdout: '' })
})
