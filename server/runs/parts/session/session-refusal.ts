import {
  sessionFilesMax,
  sessionNameMaxBytes,
  sessionNamesMaxBytes,
  sessionPathMaxBytes,
} from '@sandbox-jobs/contract/limits.ts'
import type { SandboxExit } from '../../../../agent/port/sandbox-exit.ts'
import type { SessionRefusal } from '../../../sessions/runs/save-session.ts'
import { unpackingName } from '../../model/result-layout.ts'
import { failed, type RunOutcome } from '../../model/run-outcome.ts'
import { shownPath } from '../../results/artifact-refusal.ts'
import type { LeftPart } from '../run-part.ts'

/**
 * Whether a run changes its session: if its program ended by itself, whatever its exit code. A program that was stopped, by
 * a cancel, a deadline or a limit, was in the middle of something, and one that ended before all its files were unpacked had not
 * started: its session has the files from before.
 */
export const changesSession = ({ cause, folder, files }: SandboxExit): boolean =>
  folder !== null &&
  (cause === 'exited' || cause === 'signalled') &&
  (files[unpackingName]?.status ?? 'absent') === 'absent'

/**
 * The executor's refusal of the folder; undefined if it refused none. Where there is no folder, the program may have ended before
 * anything was unpacked, even the mark of it.
 */
export function folderRefusalOf({ folder }: SandboxExit): SessionRefusal | undefined {
  if (folder?.status === 'absent') return { rule: 'not_a_folder', path: '' }
  return folder?.status === 'rejected' ? { rule: folder.reason, path: folder.path ?? '' } : undefined
}

const reasons: Record<string, string> = {
  too_many_files: `there are more than ${sessionFilesMax} files, folders and links`,
  too_large: 'they are larger than the session may be',
  path_too_long: `a path is over ${sessionPathMaxBytes} bytes`,
  path_too_deep: 'a path has too many folders',
  name_too_long: `a name is over ${sessionNameMaxBytes} bytes`,
  names_too_long: `their paths and links are over ${sessionNamesMaxBytes} bytes together`,
  link_too_long: `the target of a link is over ${sessionPathMaxBytes} bytes`,
  control_character: 'a name has a control character or a mark that turns the direction of text',
  path_not_utf8: 'a name is not UTF-8',
  unreadable: 'one of them cannot be read by the user that the job ran as',
  not_a_folder: '/workspace/session is no folder any more',
  storage_quota: 'the storage quota of the company is full',
  storage: 'the host had no room for them',
  collection_failed: 'reading them took too long or failed',
}

/** Results that a run left whose session was not changed. */
export const leftByRefusal = (refusal: SessionRefusal): LeftPart => ({
  line: lineOf(refusal),
  outcome: (own) => outcomeOf(own, refusal),
})

/** A run that failed by itself keeps its own outcome. */
function outcomeOf(own: RunOutcome, { rule }: SessionRefusal): RunOutcome {
  if (own.state !== 'completed') return own
  return rule === 'storage'
    ? failed('storage_lost', { exitCode: 0, detail: 'session' })
    : failed('session_not_kept', { exitCode: 0, detail: rule })
}

/** The platform's last line in the log. */
function lineOf({ rule, path }: SessionRefusal): string {
  const reason = Object.hasOwn(reasons, rule) ? reasons[rule] : 'they break a rule'
  const where = path === '' ? '' : `, such as "${shownPath(path)}"`
  return `\n[sandbox] The files of the session were not kept, it has those from before: ${reason}${where} (${rule.replaceAll(/[^a-z0-9_]/g, '_')}).\n`
}
