import {
  artifactsDir,
  artifactsDirEnv,
  driverPath,
  inputsFileEnv,
  invocation,
  outputFileEnv,
  startupScriptPath,
  workScriptPath,
  workspaceDir,
} from '@sandbox-jobs/contract/resources/runtime-contract.ts'
import { type WorkspaceEntry, workspaceTar } from './workspace-tar.ts'

/*
 * How a job gets its things.
 *
 * The sandbox starts the platform's static shell with a fixed program; the executor's records, the runtime's state
 * and the process list hold nothing else. Whatever a tenant wrote comes through standard input:
 *
 *   <bytes of the prelude, decimal>\n <prelude> <tar of the workspace>
 *
 * The program reads the prelude into a variable, unpacks the archive over /workspace, waits for the end of standard
 * input, closes it and evaluates the prelude: exports, then the chain of the runtime contract. The exports are the only text made from
 * tenants' values; each is one single-quoted word, so nothing in it is expanded. They come last, so that a PATH or IFS
 * of a tenant meets only the tenant's own scripts.
 *
 * An image that has a shell runs the chain in it: the platform's busybox prefers its own applets to the image's
 * programs of the same name, which would give `sort` or `date` of another make than the image's author installed. An
 * image without one, as `FROM scratch` makes, runs it in the platform's shell, which brings the applets along.
 */

const inputsFile = `${workspaceDir}/input.json`
export const outputFile = `${workspaceDir}/output.json`

const busybox = '/.sandbox/busybox'
const imageShell = '/bin/sh'
const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
/**
 * The steps before the job cannot fail by what a job is, only by what befalls its sandbox, as a full workspace does.
 * The status could be a job's own; the line in the log says which it was to whoever reads it, and a job that imitates
 * both only deceives its owner.
 */
const bootFailed = 125
const orTell = (what: string) => `|| { echo 'sandbox: ${what}' >&2; exit ${bootFailed}; }`

/** The shell carries out `dd` itself; `tar` is a program that it starts. */
const program = [
  `read -r _boot_bytes && _boot=$(dd bs="$_boot_bytes" count=1 iflag=fullblock 2>/dev/null) ${orTell('the start of the input is cut')}`,
  `${busybox} tar -xo -f - -C ${workspaceDir} ${orTell('the files of the run do not fit into the workspace')}`,
  // The end of the input is the word for the job: a job whose input was cut has not begun.
  `read -r _boot_end`,
  `exec </dev/null`,
  `cd ${workspaceDir} ${orTell('there is no workspace')}`,
  `eval "$_boot"`,
].join('\n')

/** The argument vector of every run. */
export const bootArgv: readonly string[] = [busybox, 'sh', '-c', program]

export interface Job {
  /** `NAME=value` pairs of the image's configuration; what no shell can export is left out. */
  imageEnv: readonly string[]
  /** Names that `isEnvName` accepts. */
  env: Record<string, string>
  /** Values by name; the log is to show none of them. */
  secrets: Record<string, string>
  startupScript: string
  workScript: string
  /** Content of the driver file, verbatim. */
  driver: string
  /** Canonical JSON. */
  input: Buffer
}

/** Standard input of the boot program. */
export function bootInput(job: Job): Buffer {
  return Buffer.concat([headOf(job), workspaceTar(filesOf(job))])
}

/** The same with further blocks of the archive before the platform's own files, which so have the last word. */
export async function* bootInputWith(job: Job, blocks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  yield headOf(job)
  yield* blocks
  yield workspaceTar(filesOf(job))
}

function headOf(job: Job): Buffer {
  const prelude = Buffer.from(preludeOf(job), 'utf8')
  return Buffer.concat([Buffer.from(`${prelude.length}\n`), prelude])
}

function preludeOf(job: Job): string {
  const env = {
    PATH: defaultPath,
    HOME: workspaceDir,
    ...readImageEnv(job.imageEnv),
    ...job.env,
    ...job.secrets,
    [inputsFileEnv]: inputsFile,
    [outputFileEnv]: outputFile,
    [artifactsDirEnv]: artifactsDir,
  }
  return [
    'unset _boot _boot_bytes _boot_end',
    ...Object.entries(env).map(([name, value]) => `export ${name}=${quote(value)}`),
    `if [ -x ${imageShell} ]; then exec ${imageShell} -c ${quote(invocation)}; fi`,
    invocation,
  ].join('\n')
}

const imageEnvPattern = /^([A-Za-z_][A-Za-z0-9_]*)=([^\0]*)$/s

function readImageEnv(pairs: readonly string[]): Record<string, string> {
  const env: Record<string, string> = {}
  for (const pair of pairs) {
    const [, name, value] = imageEnvPattern.exec(pair) ?? []
    if (name !== undefined && value !== undefined) env[name] = value
  }
  return env
}

/** One word of the shell, taken as it stands. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

function filesOf(job: Job): WorkspaceEntry[] {
  const file = (path: string, content: string | Buffer, mode: number): WorkspaceEntry => ({
    path: path.slice(workspaceDir.length + 1),
    content: typeof content === 'string' ? Buffer.from(content, 'utf8') : content,
    mode,
  })
  return [
    file(`${artifactsDir}/`, '', 0o755),
    file(startupScriptPath, job.startupScript, 0o755),
    file(workScriptPath, job.workScript, 0o755),
    file(driverPath, job.driver, 0o755),
    file(inputsFile, job.input, 0o644),
  ]
}
