import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ExecutorRefused } from '../../port.ts'

const run = promisify(execFile)
const shimSources = [
  ...['shim.c', 'plan.c', 'cgroups.c', 'devices.c', 'mounts.c', 'network.c', 'runtime.c'],
  ...['input.c', 'mask.c', 'mask-forms.c', 'log.c', 'clients.c', 'collect.c', 'record.c', 'space.c'],
]
/** On the host. Linked statically too: a shim is started for each sandbox, and would look for its libraries each time. */
const outerPrograms = {
  shim: shimSources,
  spawner: ['spawner.c'],
  links: ['links.c'],
  resolver: [
    ...['resolver.c', 'confine.c', 'dns.c', 'questions.c', 'shares.c', 'streams.c'],
    ...['lists.c', 'notes.c', 'control.c'],
  ],
}
const innerPrograms = ['init', 'unpack']
const warnings = ['-O2', '-Wall', '-Wextra', '-Werror', '-std=gnu11']
const hardening = [
  ...['-D_FORTIFY_SOURCE=2', '-fstack-protector-strong', '-fPIE', '-static-pie'],
  ...['-Wl,-z,relro', '-Wl,-z,now'],
]

export interface NativePrograms {
  shim: string
  /** Makes network links. */
  links: string
  /** Answers the questions of sandboxes for names. */
  resolver: string
  /** Runs as process 1 of a sandbox; linked statically, for images hold no libraries of ours. */
  init: string
  /** Unpacks a layer inside a sandbox; linked statically. */
  unpack: string
  /** Starts shims. */
  spawner: string
}

/** Compiles the programs into `folder/<hash of the sources>`, unless they are there. */
export async function buildNative(folder: string): Promise<NativePrograms> {
  const ofInner = innerPrograms.map((name) => `${name}.c`)
  const sources = [...Object.values(outerPrograms).flat(), 'shim.h', 'resolver.h', ...ofInner]
  const hash = createHash('sha256')
  for (const source of sources) hash.update(await readFile(join(import.meta.dirname, source)))
  const target = join(folder, hash.digest('hex').slice(0, 16))
  const names = [...Object.keys(outerPrograms), ...innerPrograms]
  const programs = Object.fromEntries(
    names.map((name) => [name, join(target, name)]),
  ) as unknown as NativePrograms
  if (await isThere(target)) return programs
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const fresh = await mkdtemp(join(folder, 'new-'))
  try {
    for (const [name, sources] of Object.entries(outerPrograms)) {
      await compile([...warnings, ...hardening, '-o', join(fresh, name), ...sources])
    }
    for (const name of innerPrograms) {
      await compile([...warnings, '-static', '-o', join(fresh, name), `${name}.c`])
    }
    await rename(fresh, target)
  } catch (error) {
    await rm(fresh, { recursive: true, force: true })
    // Another process may have been quicker.
    if (!(await isThere(target))) throw error
  }
  return programs
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

async function compile(args: string[]): Promise<void> {
  try {
    await run('cc', args, { cwd: import.meta.dirname })
  } catch (error) {
    const told = (error as { stderr?: string }).stderr?.split('\n')[0] ?? String(error)
    throw new ExecutorRefused(
      'compiler',
      `the sandbox keeper cannot be compiled: apt-get install gcc libc6-dev (${told})`,
    )
  }
}
