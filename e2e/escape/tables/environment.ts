import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import type { SandboxSpec } from '../../../agent/port/sandbox-spec.ts'
import { inputOf } from '../../../agent/port/start-input.ts'
import { busybox, shellJob, waitUntil } from '../../../testing/agent/test-agent.ts'
import type { Testbed } from '../testbed.ts'
import type { Trial, Trials } from '../trial.ts'

/*
 * Jobs with a hostile `ordinary_env`. Its values name files that also exist on the host, among the canaries: if a program of the
 * platform loads one, it leaves a mark. Each job gets the environment as exports through its input, like runs, and in its
 * specification, where only a compromised worker could put it. No process outside the sandbox may contain any of it.
 */

/** Folder of the same files in the image. */
const inImage = '/opt/hostile'
const library = 'hostile.so'
const script = 'hostile.sh'

type Environment = Record<string, string>

/** Environments by name; `both` has the paths of a file in the image and on the host, `host` is the folder of the canaries. */
function environments(host: string): Record<string, Environment> {
  const both = (name: string) => `${inImage}/${name}:${host}/${name}`
  const folders = `${inImage}:${host}`
  const ours = ['SANDBOX_DATA', 'SANDBOX_AGENT_SOCKET', 'SANDBOX_RUNTIME_EGRESS', 'SANDBOX_RUNTIME']
  return {
    preload: { LD_PRELOAD: both(library), LD_BIND_NOW: '1' },
    audit: { LD_AUDIT: both(library), LD_DEBUG: 'all', LD_DEBUG_OUTPUT: `${host}/debug` },
    profile: { LD_PROFILE: 'libc.so.6', LD_PROFILE_OUTPUT: host, LD_USE_LOAD_BIAS: '1' },
    library_path: { LD_LIBRARY_PATH: host, LD_ORIGIN_PATH: host },
    converters: {
      GCONV_PATH: folders,
      CHARSET: 'HOSTILE//',
      LC_ALL: 'cs_CZ.HOSTILE',
      OUTPUT_CHARSET: 'HOSTILE',
    },
    locales: {
      LOCPATH: folders,
      NLSPATH: `${host}/%N`,
      LANGUAGE: '../../..',
      TEXTDOMAINDIR: host,
      LANG: host,
    },
    resolver: {
      LOCALDOMAIN: 'hostile',
      RES_OPTIONS: 'debug',
      HOSTALIASES: `${host}/${script}`,
      TZDIR: host,
      TZ: `:${host}`,
    },
    tunables: { GLIBC_TUNABLES: `glibc.malloc.mxfast=glibc.malloc.mxfast=${'A'.repeat(4096)}` },
    allocator: {
      MALLOC_CHECK_: '3',
      MALLOC_PERTURB_: '165',
      MALLOC_ARENA_MAX: '0',
      MALLOC_TRACE: `${host}/trace`,
    },
    shells: {
      BASH_ENV: `${host}/${script}`,
      ENV: `${host}/${script}`,
      SHELLOPTS: 'xtrace',
      PS4: `$(. ${host}/${script})`,
    },
    functions: {
      'BASH_FUNC_tar%%': `() { . ${host}/${script}; }`,
      'BASH_FUNC_crun()': `() { . ${host}/${script}; }`,
    },
    perl: { PERL5OPT: `-Mhostile`, PERL5LIB: host, PERL5DB: `BEGIN { do '${host}/${script}' }` },
    python: { PYTHONSTARTUP: `${host}/${script}`, PYTHONPATH: host, PYTHONHOME: host, PYTHONINSPECT: '1' },
    node: { NODE_OPTIONS: `--require ${host}/${script} --inspect`, NODE_PATH: host, NODE_V8_COVERAGE: host },
    go: {
      GODEBUG: 'inittrace=1,gctrace=1',
      GOTRACEBACK: 'crash',
      GOGC: 'off',
      GOMAXPROCS: '1000',
      GOCOVERDIR: host,
    },
    homes: {
      HOME: host,
      TMPDIR: host,
      XDG_RUNTIME_DIR: host,
      XDG_CONFIG_HOME: host,
      CDPATH: host,
      PWD: host,
    },
    path: { PATH: host },
    services: { NOTIFY_SOCKET: `${host}/notify`, LISTEN_FDS: '64', LISTEN_PID: '1', MAINPID: '1' },
    ours: Object.fromEntries(ours.map((name) => [name, host])),
    boot: { _boot: `. ${host}/${script}`, _boot_bytes: '1', IFS: '/.sandbox', UID: '0', FUNCNAME: '1' },
    odd_names: {
      '': 'x',
      '1': 'x',
      'a b': 'x',
      'a\nb': 'x',
      '$(id)': 'x',
      ž: 'x',
      '-': 'x',
      ['N'.repeat(1025)]: 'x',
    },
    huge: Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`HUGE_${at}`, 'x'.repeat(60_000)])),
  }
}

/** The variables whose names the specification accepts. */
const inSpecification = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([name]) => /^[^=\0]{1,1024}$/.test(name)))

const exportsOf = (env: Environment): string =>
  Object.entries(env)
    .filter(([name]) => /^[A-Za-z_]\w*$/.test(name))
    .map(([name, value]) => `export ${name}='${value.replaceAll("'", `'\\''`)}'\n`)
    .join('')

/** Writes the files into the canary folder and into an image with a dynamically linked shell. Call before the canaries are watched. */
export async function hostileEnvironments(testbed: Testbed): Promise<Trials> {
  const { folder } = testbed.canaries
  const files = new Map([[library, await compiledLibrary(folder)]])
  files.set(script, Buffer.from(`: >${folder}/sourced; : >/workspace/loaded\n`))
  for (const [name, bytes] of files) await writeFile(join(folder, name), bytes, { mode: 0o755 })
  // Found first by programs that search libraries or programs there.
  await copyFile(join(folder, library), join(folder, 'libc.so.6'))
  for (const program of ['crun', 'launcher', 'runsc', 'sh', 'tar', 'dd', 'cc']) {
    await writeFile(join(folder, program), `#!/bin/busybox sh\n. ${folder}/${script}\n`, { mode: 0o755 })
  }
  const image = await testbed.agent.image([
    ...(await Promise.all(
      shellParts.map(
        async (path) =>
          [{ name: path.slice(1), mode: 0o755 }, await readFile(path)] as [
            { name: string; mode: number },
            Buffer,
          ],
      ),
    )),
    [{ name: 'bin/sh', mode: 0o755 }, await readFile('/bin/dash')],
    ...[...files].map(([name, bytes]): [{ name: string; mode: number }, Buffer] => [
      { name: `${inImage.slice(1)}/${name}`, mode: 0o755 },
      bytes,
    ]),
  ])
  const trials = Object.entries(environments(folder)).map(
    ([name, env]): Trial => ({
      name,
      what: `makes programs of the host use ${Object.keys(env)[0]}`,
      run: (at) => tryEnvironment(at, image, env),
    }),
  )
  return { class: 'environment', trials }
}

/** Libraries of the host that dash needs. */
const shellParts = ['/lib/x86_64-linux-gnu/libc.so.6', '/lib64/ld-linux-x86-64.so.2']

async function compiledLibrary(folder: string): Promise<Buffer> {
  const path = join(folder, 'building.so')
  const source = join(import.meta.dirname, '../hostile-library.c')
  const mark = `-DMARK="${join(folder, 'loaded')}"`
  await promisify(execFile)('cc', ['-shared', '-fPIC', '-O1', '-Wall', '-Werror', mark, '-o', path, source])
  return readFile(path)
}

/** Returns the violation. The job itself may fail because of its environment. */
async function tryEnvironment(
  testbed: Testbed,
  image: string,
  env: Environment,
): Promise<string | undefined> {
  const { client } = testbed.agent
  const mark = randomUUID()
  const marked = { ...env, SBJ_MARK: mark }
  const program = `echo here; [ -e /workspace/loaded ] && echo loaded; exec ${busybox} sleep 50`
  const spec: SandboxSpec = {
    ...shellJob(image, '', { timeoutMs: 60_000, memoryBytes: 256 * 2 ** 20, runtime: testbed.runtime }),
    // The image's shell loads libraries, unlike the platform's.
    argv: [busybox, 'sh', '-c', `eval "$(${busybox} cat)"; exec /bin/sh -c '${program}'`],
    env: inSpecification(marked),
  }
  await client.start(spec, inputOf(Buffer.from(exportsOf(marked))))
  const log = async () => text(await client.log(spec.id))
  await waitUntil(
    async () =>
      (await log()).includes('here\n') ||
      (await client.list()).some(({ id, state }) => id === spec.id && state === 'exited'),
  )
  const own = testbed.runtime !== 'runsc' ? await testbed.agent.processes(spec.id) : []
  const taken = await processesWith(mark, new Set(own))
  await client.stop(spec.id)
  const exit = await client.wait(spec.id)
  const said = await log()
  testbed.canaries.checkOutput(said)
  await client.remove(spec.id)
  if (taken.length > 0) return `processes have its environment: ${taken.join()}`
  if (exit.cause !== 'stopped')
    return `ended as ${exit.cause} ${exit.exitCode} ${exit.detail}: ${said.slice(0, 200)}`
  if ('LD_PRELOAD' in env && !said.includes('loaded'))
    return 'its own shell did not load it: nothing was tested'
  return undefined
}

async function processesWith(mark: string, except: ReadonlySet<number>): Promise<number[]> {
  const found: number[] = []
  for (const pid of (await readdir('/proc')).map(Number)) {
    if (Number.isNaN(pid) || except.has(pid)) continue
    const words = await Promise.all(
      ['environ', 'cmdline'].map((name) => readFile(`/proc/${pid}/${name}`, 'latin1').catch(() => '')),
    )
    if (words.join().includes(mark)) found.push(pid)
  }
  return found
}
