import {
  artifactFilesMax,
  artifactPathComponentMaxBytes,
  artifactPathMaxBytes,
} from '@sandbox-jobs/contract/limits.ts'
import { bundleMaxBytes } from '../prepare/run-sandbox.ts'

/** Why no artifact was kept, by the slug of the broken rule (contract part 1, "Runtime contract"). */
const reasons: Record<string, string> = {
  symlink: 'one of them is a symbolic link; leave a copy of what it points to',
  hard_link: 'one of them has a second name (a hard link); leave a copy',
  special_file: 'one of them is a FIFO, a socket or a device; leave regular files only',
  not_a_folder: 'the place of the artifacts is no folder any more',
  too_many_files: `there are more than ${artifactFilesMax}; pack them into one archive`,
  too_large: `together they are over ${bundleMaxBytes()} bytes`,
  path_too_long: `a path is over ${artifactPathMaxBytes} bytes`,
  name_too_long: `a name is over ${artifactPathComponentMaxBytes} bytes`,
  control_character: 'a name has a control character or a mark that turns the direction of text',
  path_not_utf8: 'a name is not UTF-8',
  path_not_plain: 'a path has an empty part, . or ..',
  unreadable: 'a file or folder cannot be read by the user that the job ran as',
  storage: 'the host had no room for them',
  collection_failed: 'reading them took too long or failed',
}

/** The platform's last line in the log of a run whose artifacts were refused. */
export function refusalLine(slug: string): string {
  const reason = Object.hasOwn(reasons, slug) ? reasons[slug] : 'they break a rule'
  return `\n[sandbox] No artifact was kept: ${reason} (${slug.replaceAll(/[^a-z0-9_:.-]/g, '_')}).\n`
}
