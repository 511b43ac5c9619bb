import { idPattern } from '@sandbox-jobs/contract/ids.ts'
import { CliError, exitCodes } from '../failure.ts'
import type { Session } from '../session/session.ts'
import { findRoom } from './find-room.ts'

const runId = idPattern('run')

/** Parameters for the routes of one run: the room is given, or remembered from an earlier command. */
export async function findRun(
  session: Session,
  run: string,
  room?: string,
): Promise<{ cid: string; rid: string }> {
  if (!runId.test(run)) {
    throw new CliError(`${run} is not the id of a run.`, {
      hint: 'An id is run_ and 32 digits; sandbox runs --room ROOM lists them.',
      code: 'cli_usage',
      exitCode: exitCodes.usage,
    })
  }
  if (room !== undefined) return { cid: await findRoom(session, room), rid: run }
  const known = new Map(session.stored.run_rooms).get(run)
  if (known !== undefined) return { cid: known, rid: run }
  throw new CliError(`The room of ${run} is unknown on this machine.`, {
    hint: 'Name the room that it ran in with --room ROOM.',
    code: 'cli_usage',
    exitCode: exitCodes.usage,
  })
}
