import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { Digest } from '../../digest.ts'
import { BundleId, ScriptId } from '../../identifiers.ts'
import { bundleFilesMax, bundleMaxBytes, scriptMaxBytes, uploadFilenameMaxLength } from '../../limits.ts'
import { DateTime, OneOf } from '../../schema.ts'

const uploadFields = {
  filename: about(
    'Name of the sent file, for display; never a path on the service.',
    Type.String({ maxLength: uploadFilenameMaxLength }),
    'report.py',
  ),
  sha256: about('Digest of the file.', Digest),
  expires_at: about('Until when drafts may refer to it: 24 hours.', DateTime),
}

/** An uploaded script. Until it expires, drafts refer to its id as `startup_script_id` or `work_script_id`. */
export const ScriptUpload = Type.Object({
  id: ScriptId,
  ...uploadFields,
  byte_size: about(
    'Bytes of the script, at most 1 MiB.',
    Type.Integer({ minimum: 0, maximum: scriptMaxBytes }),
    812,
  ),
})
export type ScriptUpload = Static<typeof ScriptUpload>

/** An uploaded bundle. Drafts refer to its id as `bundle_id`. It is removed at its expiry unless a version uses it. */
export const BundleUpload = Type.Object({
  id: BundleId,
  ...uploadFields,
  byte_size: about(
    'Bytes of the archive, at most 64 MiB.',
    Type.Integer({ minimum: 1, maximum: bundleMaxBytes }),
    20_480,
  ),
  file_count: about(
    'Files and links in it, without folders.',
    Type.Integer({ minimum: 1, maximum: bundleFilesMax }),
    12,
  ),
})
export type BundleUpload = Static<typeof BundleUpload>

/** The script of a draft that the file replaces. */
export const ScriptTarget = OneOf(['startup', 'work'])
export type ScriptTarget = Static<typeof ScriptTarget>
