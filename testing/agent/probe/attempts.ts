import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** `killed`: by a signal. `untried`: the sandbox lacks the tool, or ended before. */
export type Outcome = 'got' | 'refused' | 'killed' | 'untried'

interface Command {
  name: string
  /** A shell command that succeeds if it got something forbidden. */
  command: string
}

const scriptStart = `export PATH=/.sandbox:$PATH
attempt() {
  ( eval "$2" ) </dev/null >/dev/null 2>&1
  c=$?
  case $c in 0) o=got ;; 126 | 127) o=untried ;; *) [ $c -gt 128 ] && [ $c -lt 192 ] && o=killed || o=refused ;; esac
  echo "$1 $o"
}`

/** A script that makes attempts one after another and prints one line for each; /usr/bin/probe is the probe. */
export function attemptScript(commands: Command[]): string {
  const lines = commands.map(({ name, command }) => `attempt ${name} ${quoted(command)}`)
  return [scriptStart, ...lines].join('\n')
}

/** The outcome of an attempt in the log of that script. */
export function outcomeOf(log: string, name: string): Outcome {
  const line = log.split('\n').find((line) => line.startsWith(`${name} `))
  return (line?.slice(name.length + 1) as Outcome | undefined) ?? 'untried'
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const compiled = new Map<string, Promise<Buffer>>()
/** A probe of this folder as a static program, compiled once. */
export function compiledProbe(name: 'probe' | 'holds'): Promise<Buffer> {
  const bytes = compiled.get(name) ?? compile(join(import.meta.dirname, `${name}.c`))
  compiled.set(name, bytes)
  return bytes
}

async function compile(source: string): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'probe-'))
  const program = join(folder, 'probe')
  await promisify(execFile)('cc', ['-static', '-O1', '-Wall', '-Werror', '-o', program, source])
  const bytes = await readFile(program)
  await rm(folder, { recursive: true })
  return bytes
}
