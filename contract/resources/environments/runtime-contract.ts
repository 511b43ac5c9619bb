import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import {
  artifactFilesMax,
  artifactPathComponentMaxBytes,
  artifactPathMaxBytes,
  artifactWorkspaceReserveBytes,
} from '../../limits.ts'

export const workspaceDir = '/workspace'
/** The platform's shell and its programs, which every sandbox has. */
export const platformShell = '/.sandbox/busybox'
export const startupScriptPath = '/workspace/startup.sh'
export const workScriptPath = '/workspace/work.sh'
export const driverPath = '/workspace/driver.sh'
export const inputsFile = '/workspace/input.json'
export const outputFile = '/workspace/output.json'
export const artifactsDir = '/workspace/artifacts'
/** The files of a run that takes any. */
export const inputsDir = '/workspace/inputs'
/** The files of a run's session. */
export const sessionDir = '/workspace/session'
/** Is there while the files of a run with a session are unpacked, from the first to the last. */
export const unpackingFile = '/workspace/.sandbox-unpacking'

/** The line that every run evaluates. */
export const invocation = '. /workspace/startup.sh && . /workspace/driver.sh'

/** Content of the driver if a version has no `work_command`; borrowers always see only this one. */
export const defaultDriver = '. /workspace/work.sh'

export const inputsFileEnv = 'SERVICE_INPUTS_FILE'
export const outputFileEnv = 'SERVICE_OUTPUT_FILE'
export const artifactsDirEnv = 'SERVICE_ARTIFACTS_DIR'

/** Environment variables for a job: ids of its run, its room, its task and its version. */
export const runIdEnv = 'SERVICE_RUN_ID'
export const chatroomIdEnv = 'SERVICE_CHATROOM_ID'
export const taskIdEnv = 'SERVICE_TASK_ID'
/** Where a run with an output policy writes, and the secret for it (contract part 2, "Public routes"). */
export const writebackUrlEnv = 'SERVICE_CT_WRITEBACK_URL'
export const writebackTokenEnv = 'SERVICE_CT_WRITEBACK_TOKEN'
export const taskVersionIdEnv = 'SERVICE_TASK_VERSION_ID'

/** Input, output and environment of a job (contract part 1, "Runtime contract"). */
export const RuntimeContract = Type.Object({
  invocation: about('The line that every run evaluates.', Type.String(), invocation),
  driver: about(
    "Content of `/workspace/driver.sh`: the version's `work_command` for its owner, the default for others.",
    Type.String(),
    defaultDriver,
  ),
  working_directory: about(
    'Where the scripts start, as a sentence.',
    Type.String(),
    'The session starts in /workspace.',
  ),
  network: about(
    'Addresses that a job may reach, as sentences.',
    Type.String(),
    'A job may reach the internet.',
  ),
  inputs_file_env: about('Variable that names the file with the input.', Type.String(), inputsFileEnv),
  output_file_env: about('Variable that names the file for the output.', Type.String(), outputFileEnv),
  artifacts_dir_env: about('Variable that names the folder for artifacts.', Type.String(), artifactsDirEnv),
  artifacts: about(
    'Rules for artifacts, as sentences.',
    Type.String(),
    'Each regular file left below /workspace/artifacts becomes an artifact.',
  ),
  input_delivery: about(
    'How the job gets its input, as a sentence.',
    Type.String(),
    'The input JSON is in the file that SERVICE_INPUTS_FILE names.',
  ),
  secrets_delivery: about(
    'How the job gets its secrets, as a sentence.',
    Type.String(),
    'Declared secret slots are environment variables of the scripts.',
  ),
})
export type RuntimeContract = Static<typeof RuntimeContract>

const mib = 1024 * 1024

const workingDirectoryText =
  `The session starts in ${workspaceDir}, but do not rely on the working directory: ` +
  `write absolute paths below ${workspaceDir}.`

const networkText =
  'A job may reach the internet while the company setting runtime_egress_enabled is on, as it is by default. ' +
  'The bytes that it sends are metered (measured_egress_bytes). Private, loopback and metadata addresses are always blocked. ' +
  'Where the operator has switched egress off, scripts that download or install something fail.'

const artifactsText =
  `Each regular file left below ${artifactsDir} becomes an artifact; folders become prefixes of its path. ` +
  'The whole bundle is refused, with the reason in the log and the run still completed, if it holds a symbolic link, ' +
  'a hard link, a special file, "..", a control character, ' +
  `more than ${artifactFilesMax} files, a path over ${artifactPathMaxBytes} bytes, ` +
  `a path component over ${artifactPathComponentMaxBytes} bytes, or more bytes than the workspace limit ` +
  `of the standard profile minus ${artifactWorkspaceReserveBytes / mib} MiB, at most 1 GiB.`

const inputDeliveryText = `The input JSON is in the file that ${inputsFileEnv} names before the first script starts.`

const secretsDeliveryText =
  'Declared secret slots are environment variables of the scripts, set before they start; no file ever holds them.'

/** Content of the driver of a version: a blank `work_command` means the default. */
export const driverOf = (workCommand: string | null): string =>
  workCommand === null || workCommand.trim() === '' ? defaultDriver : workCommand

/** The runtime contract for one viewer: pass the real driver for an owner, otherwise `defaultDriver`. */
export const runtimeContract = (driver: string): RuntimeContract => ({
  invocation,
  driver,
  working_directory: workingDirectoryText,
  network: networkText,
  inputs_file_env: inputsFileEnv,
  output_file_env: outputFileEnv,
  artifacts_dir_env: artifactsDirEnv,
  artifacts: artifactsText,
  input_delivery: inputDeliveryText,
  secrets_delivery: secretsDeliveryText,
})
