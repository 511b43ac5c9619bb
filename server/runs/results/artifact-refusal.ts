import {
  artifactFilesMax,
  artifactPathComponentMaxBytes,
  artifactPathMaxBytes,
} from '@sandbox-jobs/contract/limits.ts'
import { visibleText } from '@sandbox-jobs/contract/visible-text.ts'
import type { CollectedTree } from '../../../agent/port/sandbox-exit.ts'
import { bundleMaxBytes } from '../model/result-layout.ts'

/** Why no artifact of a run was kept (contract part 1, "Runtime contract"). */
export interface ArtifactRefusal {
  /** Slug of the broken rule. */
  rule: string
  /** The file that broke it, as it may be shown; null if it is unknown or not a single file. */
  path: string | null
}

export const shownPathMaxLength = 300

/** The executor's refusal of a tree; undefined if it refused none. */
export const refusalOf = (tree: CollectedTree | null): ArtifactRefusal | undefined =>
  tree?.status === 'rejected'
    ? { rule: tree.reason, path: tree.path ? shownPath(tree.path) : null }
    : undefined

/** A path of a program on one line, its end if it is long. `path`: raw bytes in latin1. */
export function shownPath(path: string): string {
  const text = visibleText(Buffer.from(path, 'latin1').toString('utf8'))
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t')
  return text.length <= shownPathMaxLength ? text : `…${text.slice(1 - shownPathMaxLength).toWellFormed()}`
}

/** The reason by rule. `file` is the quoted path, or words for a file whose name is unknown. */
const reasons: Record<string, (file: string) => string> = {
  symlink: (file) => `${file} is a symbolic link; leave a copy of what it points to`,
  hard_link: (file) => `${file} has a second name (a hard link); leave a copy`,
  special_file: (file) => `${file} is a FIFO, a socket or a device; leave regular files only`,
  not_a_folder: () => 'the place of the artifacts is no folder any more',
  too_many_files: (file) =>
    `there are more than ${artifactFilesMax} files, such as ${file}; pack them into one archive`,
  too_large: (file) => `with ${file} they are over ${bundleMaxBytes()} bytes`,
  path_too_long: (file) => `the path of ${file} is over ${artifactPathMaxBytes} bytes`,
  name_too_long: (file) => `the name of ${file} is over ${artifactPathComponentMaxBytes} bytes`,
  control_character: (file) =>
    `the name of ${file} has a control character or a mark that turns the direction of text`,
  path_not_utf8: (file) => `the name of ${file} is not UTF-8`,
  path_not_plain: (file) => `the path of ${file} has an empty part, . or ..`,
  unreadable: (file) => `${file} cannot be read by the user that the job ran as`,
  storage: () => 'the host had no room for them',
  collection_failed: () => 'reading them took too long or failed',
}

/** The refusal as a sentence without its end. */
export function refusalText({ rule, path }: ArtifactRefusal): string {
  const reason = Object.hasOwn(reasons, rule) ? reasons[rule] : undefined
  const words = reason?.(path === null ? 'one of them' : `"${path}"`) ?? 'they break a rule'
  return `No artifact was kept: ${words} (${rule.replaceAll(/[^a-z0-9_:.-]/g, '_')})`
}

/** The platform's last line in the log of a run whose artifacts were refused. */
export const refusalLine = (refusal: ArtifactRefusal): string => `\n[sandbox] ${refusalText(refusal)}.\n`
