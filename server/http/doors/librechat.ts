import { runFilesMax, scriptMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import type { RunFileRequest } from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { PlainError } from '../../base/errors/plain-error.ts'
import { mainFileOf, runtimeNamed } from '../../doors/catalogue/languages.ts'
import type { DoorServices } from '../../doors/door-services.ts'
import type { ProgramResult } from '../../doors/programs/program-result.ts'
import { programScript } from '../../doors/programs/program-script.ts'
import { runProgram } from '../../doors/programs/run-program.ts'
import type { PlacedInput } from '../../doors/programs/shared-folder.ts'
import { libreChatArtifactsDir } from '../../runs/model/result-layout.ts'
import { withFiles } from '../requests/file-part.ts'
import { validatorOf } from '../requests/validation.ts'
import { type DoorCall, type DoorMounting, doorMounter, type Refuse } from './door-mount.ts'
import { endedWords } from './ended-words.ts'
import {
  downloadFile,
  isRunId,
  isUploadId,
  listFiles,
  readFile,
  sessionFile,
  uploadFile,
} from './librechat-files.ts'
import { requireArguments, requirePath } from './program-parts.ts'

/*
 * The door for LibreChat's code interpreter. A program finds its files in `/mnt/data` and leaves new ones there: the artifacts of
 * its run, which later programs are given again.
 */

const Text = (maxLength: number) => Type.String({ minLength: 1, maxLength })
const ExecRequest = Type.Object({
  lang: Text(64),
  code: Text(scriptMaxBytes),
  args: Type.Optional(Type.Unknown()),
  files: Type.Optional(
    Type.Array(
      Type.Object({
        id: Text(64),
        name: Text(1024),
        session_id: Type.Optional(Text(64)),
        storage_session_id: Type.Optional(Text(64)),
      }),
      { maxItems: runFilesMax },
    ),
  ),
})
type ExecRequest = Static<typeof ExecRequest>
type FileOfRequest = NonNullable<ExecRequest['files']>[number]
const checkExec = validatorOf('body', ExecRequest)

const filesAt = { path: '/mnt/data', collected: libreChatArtifactsDir }

/** `error` and `retry_after_seconds` are what the client reads of a 429. */
const refuse: Refuse = (reply, { status, message, retryAfterSeconds }) => {
  const isBusy = status === 429 && retryAfterSeconds !== undefined
  const body = isBusy
    ? { error: 'rate_limited', message, retry_after_seconds: retryAfterSeconds }
    : { error: message, message }
  reply.code(status === 409 ? 422 : status).send(body)
}

export function mountLibreChat(app: FastifyInstance, options: DoorMounting, services: DoorServices): void {
  const mount = doorMounter(app, options, { kind: 'librechat', refuse })
  mount({
    method: 'POST',
    path: '/exec',
    maxBodyBytes: 2 * scriptMaxBytes,
    isWriting: true,
    handle: async (call) => {
      checkExec(call.request.body)
      return execute(services, call, call.request.body as ExecRequest)
    },
  })
  mount({ method: 'GET', path: '/files/:sid', handle: (call) => listFiles(services, call) })
  mount({ method: 'GET', path: '/download/:sid/:fid', handle: (call) => downloadFile(services, call) })
  mount({ method: 'GET', path: '/sessions/:sid/objects/:fid', handle: (call) => readFile(services, call) })
  withFiles(app, (files) => {
    doorMounter(files, options, { kind: 'librechat', refuse })({
      method: 'POST',
      path: '/upload',
      bodyKind: 'multipart',
      isWriting: true,
      handle: (call) => uploadFile(services, call),
    })
  })
}

async function execute(
  deps: DoorServices,
  { open, signal }: DoorCall,
  { lang, code, args = [], files = [] }: ExecRequest,
) {
  const runtime = runtimeNamed(open.runtimes, lang)
  if (!runtime) throw new PlainError(400, `The language ${lang} is not one of this door.`)
  const taken = files.map((file, at) => inputOf(file, at))
  const script = programScript({
    files: [{ path: mainFileOf(runtime), content: Buffer.from(code) }],
    args: requireArguments(args),
    runCommand: runtime.run_command,
    compileCommand: runtime.compile_command,
    compiling: 'shared',
    filesAt,
    inputs: taken.map(({ placed }) => placed),
  })
  const { timeout_seconds: timeoutSeconds } = open.door
  const requested = taken.map(({ request }) => request)
  const program = { runtime, script, timeoutSeconds, wantsNetwork: true, files: requested }
  const result = await runProgram(deps, open, { program, signal })
  return {
    session_id: result.runId,
    stdout: textOf(result.stdout),
    stderr: stderrOf(result, timeoutSeconds),
    files: result.files.map(({ id, relative_path }) => sessionFile(result.runId, id, relative_path)),
  }
}

/** Later files of the same path win, since they are copied later. */
function inputOf(file: FileOfRequest, at: number): { placed: PlacedInput; request: RunFileRequest } {
  const session = file.storage_session_id ?? file.session_id ?? ''
  const path = file.name.startsWith(`${filesAt.path}/`) ? file.name.slice(filesAt.path.length + 1) : file.name
  const name = `file-${at}`
  const placed = { name, path: requirePath(path, `files.${at}.name`) }
  if (isUploadId(file.id)) return { placed, request: { name, file_id: file.id } }
  if (!isRunId(session)) throw new PlainError(400, `files.${at} names no file of this door`)
  return { placed, request: { name, run_id: session, artifact: file.id } }
}

const cutNote = '\n[The rest is left out.]'
const textOf = ({ text, isCut }: ProgramResult['stdout']): string => (isCut ? text + cutNote : text)

/** The model reads this: it also says why a program did not end by itself. */
function stderrOf({ end, stderr }: ProgramResult, timeoutSeconds: number): string {
  const words = endedWords(end, timeoutSeconds) ?? exitWords(end)
  return [textOf(stderr), words].filter((text) => text !== undefined && text !== '').join('\n')
}

function exitWords(end: ProgramResult['end']): string | undefined {
  if (end.kind === 'signalled') return `The program was ended by signal ${end.signal}.`
  return end.kind === 'exited' && end.code !== 0 ? `The program exited with code ${end.code}.` : undefined
}
