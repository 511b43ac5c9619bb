import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** What confines the service's own processes, compiled. */
export interface Confinement {
  /** Library that hides a process's memory from others of its user. */
  notDumpable: string
  /** Library that gives an archive reader its filter of system calls. */
  seal: string
  /** Starts archive readers. */
  readerStart: string
}

const warnings = ['-O2', '-Wall', '-Wextra', '-Werror', '-std=gnu11', '-D_FORTIFY_SOURCE=2']
const hardening = ['-fstack-protector-strong', '-Wl,-z,relro', '-Wl,-z,now']
const library = [...warnings, ...hardening, '-fPIC', '-shared']
const programs = [
  { name: 'not-dumpable.so', source: 'not-dumpable.c', flags: library },
  { name: 'seal.so', source: 'seal.c', flags: library },
  {
    name: 'reader-start',
    source: 'reader-start.c',
    flags: [...warnings, ...hardening, '-fPIE', '-static-pie'],
  },
]

/** Compiles into `folder/<hash of the sources>`, unless it is there. Readable by all, writable by who calls. */
export function buildConfinement(folder: string): Confinement {
  const hash = createHash('sha256')
  for (const { source } of programs) hash.update(readFileSync(join(import.meta.dirname, source)))
  const target = join(folder, hash.digest('hex').slice(0, 16))
  if (!existsSync(target)) compileAll(folder, target)
  return {
    notDumpable: join(target, 'not-dumpable.so'),
    seal: join(target, 'seal.so'),
    readerStart: join(target, 'reader-start'),
  }
}

function compileAll(folder: string, target: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  const fresh = mkdtempSync(join(folder, 'new-'))
  try {
    for (const { name, source, flags } of programs) {
      const output = join(fresh, name)
      execFileSync('cc', [...flags, '-o', output, source], {
        cwd: import.meta.dirname,
        encoding: 'utf8',
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      chmodSync(output, 0o755)
    }
    chmodSync(fresh, 0o755)
    renameSync(fresh, target)
  } catch (cause) {
    rmSync(fresh, { recursive: true, force: true })
    // Another process may have been quicker.
    if (existsSync(target)) return
    const said =
      cause instanceof Error && 'stderr' in cause ? String(cause.stderr).split('\n')[0] : String(cause)
    throw new CompilerMissing(`archive readers cannot be compiled: apt-get install gcc libc6-dev (${said})`, {
      cause,
    })
  }
}

export class CompilerMissing extends Error {
  override readonly name = 'CompilerMissing'
}
