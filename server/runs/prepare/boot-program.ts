import { type JobEnvironment, jobPrelude } from '@sandbox-jobs/contract/resources/environments/job-prelude.ts'
import {
  artifactsDir,
  driverPath,
  inputsFile,
  platformShell,
  startupScriptPath,
  unpackingFile,
  workScriptPath,
  workspaceDir,
} from '@sandbox-jobs/contract/resources/environments/runtime-contract.ts'
import { fileTimeOf } from '../../../reader/formats/file-time.ts'
import { tarHeader, type WorkspaceEntry, workspaceTar } from '../parts/workspace-tar.ts'

/*
 * How a job gets its environment, scripts and input.
 *
 * The sandbox starts the platform's static shell with a fixed program, so the executor's records, the runtime's state and
 * the process list contain no tenant data. All tenant data comes through standard input:
 *
 *   <bytes of the prelude, decimal>\n <prelude> <tar of the workspace>
 *
 * The program reads the prelude into a variable, unpacks the archive into /workspace, waits for the end of standard
 * input, closes it, removes the mark of files that are being unpacked, and evaluates the prelude: exports, then the
 * invocation of the runtime contract. The exports are the only shell text built from tenant values. Each value is one
 * single-quoted word, so nothing in it is expanded. They are evaluated last, so a tenant's PATH or IFS affects only the
 * tenant's own scripts.
 *
 * The invocation runs in the image's shell if it has one: the platform's busybox prefers its own applets to the image's
 * programs of the same name, so `sort` or `date` would not be the programs that the image's author installed. An image
 * without a shell (`FROM scratch`) uses the platform's shell and its applets.
 */

/**
 * The steps before the job fail only because of the sandbox, such as a full workspace, never because of the job. A job may
 * exit with the same status; the line in the log distinguishes the two cases. A job that imitates the line as well misleads only
 * its owner.
 */
const bootFailed = 125
const orFail = (what: string) => `|| { echo 'sandbox: ${what}' >&2; exit ${bootFailed}; }`

/** `dd` is a builtin of the shell; `tar` is a program that it starts. */
const program = [
  `read -r _boot_bytes && _boot=$(dd bs="$_boot_bytes" count=1 iflag=fullblock 2>/dev/null) ${orFail('the start of the input is cut')}`,
  `${platformShell} tar -xo -f - -C ${workspaceDir} ${orFail('the files of the run do not fit into the workspace')}`,
  // The end of the input is the start signal of the job: if the input was cut, the job never starts.
  `read -r _boot_end`,
  `exec </dev/null`,
  `cd ${workspaceDir} ${orFail('there is no workspace')}`,
  `[ ! -e ${unpackingFile} ] || rm ${unpackingFile} ${orFail('the workspace cannot be prepared')}`,
  `eval "$_boot"`,
].join('\n')

/** The argument vector of every run. */
export const bootArgv: readonly string[] = [platformShell, 'sh', '-c', program]

/** The values of secrets are masked in the log. */
export interface Job extends JobEnvironment {
  startupScript: string
  workScript: string
  /** Content of the driver file, verbatim. */
  driver: string
  /** Canonical JSON. */
  input: Buffer
  /** The time of the platform's files. */
  claimedAt: Date
}

/** Standard input of the boot program. */
export function bootInput(job: Job): Buffer {
  return Buffer.concat([headOf(job), tarOf(job)])
}

/** `bootInput` with additional archive blocks before the platform's files, so that the platform's files win. */
export async function* bootInputWith(job: Job, blocks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  yield headOf(job)
  yield* blocks
  yield tarOf(job)
}

/** The first entry of an archive whose end must be known. The program removes the file after the last one. */
export const unpackingMark = (modifiedAt: number): Buffer =>
  tarHeader({
    path: Buffer.from(inWorkspace(unpackingFile)),
    type: '0',
    mode: 0o600,
    byteSize: 0,
    modifiedAt,
  })

const inWorkspace = (path: string): string => path.slice(workspaceDir.length + 1)

function headOf(job: Job): Buffer {
  const prelude = Buffer.from(`unset _boot _boot_bytes _boot_end\n${jobPrelude(job)}`, 'utf8')
  return Buffer.concat([Buffer.from(`${prelude.length}\n`), prelude])
}

const tarOf = (job: Job): Buffer => workspaceTar(filesOf(job), fileTimeOf(job.claimedAt))

function filesOf(job: Job): WorkspaceEntry[] {
  const file = (path: string, content: string | Buffer, mode: number): WorkspaceEntry => ({
    path: inWorkspace(path),
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
