import { isUtf8 } from 'node:buffer'
import { shellWord } from '@sandbox-jobs/contract/resources/environments/job-prelude.ts'
import {
  artifactsDir,
  outputFile,
  platformShell,
  workspaceDir,
} from '@sandbox-jobs/contract/resources/environments/runtime-contract.ts'
import { type PlacedInput, type SharedFolder, sharedFolder, withoutUnchanged } from './shared-folder.ts'

/*
 * The work script of a program that came by a door. It writes the files of the request, compiles them if the language is
 * compiled, and becomes the program, whose output is the output of the run and whose error output is its log. All text of the
 * request stands in single quotes or in base64, so that the shell expands none of it.
 */

export interface ProgramFile {
  /** Below the folder of the program. */
  path: string
  content: Buffer
}

export interface Program {
  /** The first is the main file. */
  files: readonly ProgramFile[]
  args: readonly string[]
  /** Undefined: the program reads nothing. */
  stdin?: string | undefined
  runCommand: string
  compileCommand: string | null
  /** Which files the compiler is given; absent: all. */
  sources?: readonly string[]
  /**
   * `apart`: what the compiler prints is kept in artifacts. `shared`: it is error output of the program, and the artifacts are
   * the program's own.
   */
  compiling: 'apart' | 'shared'
  /** Where the program finds files and leaves them: the artifacts of the run. Absent: nowhere. */
  filesAt?: SharedFolder
  inputs?: readonly PlacedInput[]
}

/** Output and exit code of the compiler, as artifacts. */
export const compileArtifacts = { stdout: 'compile/stdout', stderr: 'compile/stderr', code: 'compile/code' }

const codeFolder = `${workspaceDir}/code`
const stdinFile = `${workspaceDir}/stdin`
/** The exit code where the files of the request cannot be written. */
const setUpFailed = 125
const orFail = `|| exit ${setUpFailed}`
const tool = (name: string) => `${platformShell} ${name}`

export function programScript(program: Program): string {
  const [main] = program.files
  if (!main) throw new Error('a program has no file')
  const words = [atCode(main.path), ...program.args]
  return [
    `${tool('mkdir')} -p ${codeFolder} && cd ${codeFolder} ${orFail}`,
    ...program.files.flatMap(({ path, content }) => written(atCode(path), content)),
    ...(program.filesAt === undefined ? [] : sharedFolder(program.filesAt, program.inputs ?? [], orFail)),
    ...(program.compileCommand === null ? [] : compiled(program, program.compileCommand)),
    ...(program.stdin === undefined ? [] : written(stdinFile, Buffer.from(program.stdin))),
    ...(program.filesAt === undefined || program.compileCommand !== null
      ? []
      : [`cd ${program.filesAt.path} || cd ${artifactsDir}`]),
    `set -- ${words.map(shellWord).join(' ')}`,
    ...executed(program),
    '',
  ].join('\n')
}

const atCode = (path: string): string => `${codeFolder}/${path}`

function written(path: string, content: Buffer): string[] {
  const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')))
  const made =
    folder === workspaceDir || folder === codeFolder
      ? []
      : [`${tool('mkdir')} -p ${shellWord(folder)} ${orFail}`]
  const isText = isUtf8(content) && !content.includes(0) && !hasManyQuotes(content)
  const bytes = isText
    ? `printf '%s' ${shellWord(content.toString('utf8'))}`
    : `printf '%s' ${content.toString('base64')} | ${tool('base64')} -d`
  return [...made, `${bytes} >${shellWord(path)} ${orFail}`]
}

const quotesMax = 10_000

/** Each takes four characters in single quotes, and time. */
function hasManyQuotes(content: Buffer): boolean {
  let at = -1
  for (let count = 0; count <= quotesMax; count += 1) {
    at = content.indexOf("'", at + 1)
    if (at < 0) return false
  }
  return true
}

function compiled(program: Program, command: string): string[] {
  const sources = program.sources ?? program.files.map(({ path }) => path)
  const set = `set -- ${sources.map(shellWord).join(' ')}`
  if (program.compiling === 'shared') return [set, `( ${command}\n) >&2 || exit $?`]
  const at = (name: string) => `${artifactsDir}/${name}`
  const { stdout, stderr, code } = compileArtifacts
  return [
    `${tool('mkdir')} -p ${at('compile')} ${orFail}`,
    set,
    `( ${command}\n) >${at(stdout)} 2>${at(stderr)}`,
    `compile_code=$?; printf '%s' "$compile_code" >${at(code)}`,
    '[ "$compile_code" = 0 ] || exit "$compile_code"',
  ]
}

function executed({ runCommand, stdin, inputs = [] }: Program): string[] {
  const from = stdin === undefined ? '' : ` <${stdinFile}`
  if (inputs.length === 0) return [`exec >${outputFile}${from}`, runCommand]
  return [`( ${runCommand}\n) >${outputFile}${from}`, 'code=$?', ...withoutUnchanged(inputs), 'exit $code']
}
