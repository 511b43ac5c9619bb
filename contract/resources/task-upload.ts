import { type Static, Type } from 'typebox'
import { Digest } from '../digest.ts'
import { Identifier } from '../ids.ts'
import { bundleFilesMax, bundleMaxBytes, scriptMaxBytes, uploadFilenameMaxLength } from '../limits.ts'
import { DateTime, OneOf } from '../schema.ts'

const uploadFields = {
  id: Identifier,
  /** As the sender named it, for people to read; nothing is ever stored under it. */
  filename: Type.String({ maxLength: uploadFilenameMaxLength }),
  sha256: Digest,
  expires_at: DateTime,
}

/** An uploaded script: its id is the `startup_script_id` or `work_script_id` of drafts until it expires. */
export const ScriptUpload = Type.Object({
  ...uploadFields,
  byte_size: Type.Integer({ minimum: 0, maximum: scriptMaxBytes }),
})
export type ScriptUpload = Static<typeof ScriptUpload>

/** An uploaded bundle: its id is the `bundle_id` of drafts. One that no version took by then is removed. */
export const BundleUpload = Type.Object({
  ...uploadFields,
  byte_size: Type.Integer({ minimum: 1, maximum: bundleMaxBytes }),
  /** Files and links, folders not counted. */
  file_count: Type.Integer({ minimum: 1, maximum: bundleFilesMax }),
})
export type BundleUpload = Static<typeof BundleUpload>

/** Which script of a draft a file becomes. */
export const ScriptTarget = OneOf(['startup', 'work'])
export type ScriptTarget = Static<typeof ScriptTarget>
