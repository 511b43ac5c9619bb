import { doorTextMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import type { RunArtifact } from '@sandbox-jobs/contract/resources/runs/run-artifact.ts'
import { openResult, type ResultDeps } from '../../runs/downloads/read-results.ts'
import type { OpenDoor } from '../catalogue/door-keys.ts'
import type { ProgramResult } from './program-result.ts'

/** The beginning of a file that the program left; undefined if there is none. */
export async function readFileBeginning(
  deps: ResultDeps,
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
