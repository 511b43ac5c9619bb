import { doorTextMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import type { RunArtifact } from '@sandbox-jobs/contract/resources/runs/run-artifact.ts'
import { openResult } from '../../runs/downloads/read-results.ts'
import type { ShownRun } from '../../runs/model/run-row.ts'
import type { Beginning, ResultBeginnings } from '../../runs/read/results/result-beginnings.ts'
import type { OpenDoor } from '../catalogue/door-keys.ts'
import type { DoorServices } from '../door-services.ts'

/** How a program ended. */
export type ProgramEnd =
  | { kind: 'exited'; code: number }
  | { kind: 'signalled'; signal: number }
  | { kind: 'timeout' | 'out_of_memory' | 'output_too_large' | 'disk_full' | 'pids_limit' }
  /** The run was cancelled, or was not started for a reason that its company can change. */
  | { kind: 'stopped'; reason: string }
  /** The service failed. */
  | { kind: 'failed'; reason: string }

export interface ProgramResult {
  runId: string
  end: ProgramEnd
  stdout: Beginning
  stderr: Beginning
  /** By path. */
  files: RunArtifact[]
  /** Null where nothing was measured. */
  memoryBytes: number | null
  cpuMs: number | null
  wallMs: number | null
}

/** Of one program, the texts and the files that an answer may have. */
export const shownOfProgram = { textMaxBytes: doorTextMaxBytes, filesMax: 1000 }

/** The output of the run is what the program printed, and the log its error output (`program-script.ts`). */
export function programResult(run: ShownRun, left: ResultBeginnings): ProgramResult {
  const { startedAt } = left
  return {
    runId: run.id,
    end: endOf(run),
    stdout: left.output,
    stderr: left.log,
    files: left.files,
    memoryBytes: left.peakMemoryBytes,
    cpuMs: left.cpuMs,
    wallMs: startedAt && run.terminal_at ? run.terminal_at.getTime() - startedAt.getTime() : null,
  }
}

const signalPattern = /^signal=(\d+)/
const limits = ['timeout', 'out_of_memory', 'output_too_large', 'disk_full', 'pids_limit'] as const

/** How an ended run ended. */
export function endOf({
  state,
  error_code: code,
  error_detail: detail,
  exit_code: exitCode,
}: Pick<ShownRun, 'state' | 'error_code' | 'error_detail' | 'exit_code'>): ProgramEnd {
  if (state === 'completed') return { kind: 'exited', code: 0 }
  if (code === 'work_exit_nonzero') {
    const [, signal] = signalPattern.exec(detail) ?? []
    return signal === undefined
      ? { kind: 'exited', code: exitCode ?? 1 }
      : { kind: 'signalled', signal: Number(signal) }
  }
  const limit = limits.find((each) => each === code)
  if (limit) return { kind: limit }
  return { kind: state === 'platform_failed' ? 'failed' : 'stopped', reason: code }
}

/** The first bytes of a file that the program wrote; undefined if there is no such file. */
export async function readFileBeginning(
  deps: DoorServices,
  { door, reader }: OpenDoor,
  { result, path, signal }: { result: ProgramResult; path: string; signal: AbortSignal },
): Promise<string | undefined> {
  const file: RunArtifact | undefined = result.files.find(({ relative_path }) => relative_path === path)
  if (!file || file.byte_size === 0) return file && ''
  const address = { chatroomId: door.chatroom_id, runId: result.runId }
  const object = { kind: 'artifact' as const, artifactId: file.id }
  const request = { range: `bytes=0-${doorTextMaxBytes - 1}`, signal }
  const { body } = await openResult(deps, reader, { ...address, object, request })
  return Buffer.concat(await body.toArray()).toString('utf8')
}
