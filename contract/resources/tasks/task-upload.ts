import { type Static, Type } from 'typebox'
import { Digest } from '../../digest.ts'
import { Identifier } from '../../ids.ts'
import { bundleFilesMax, bundleMaxBytes, scriptMaxBytes, uploadFilenameMaxLength } from '../../limits.ts'
import { DateTime, OneOf } from '../../schema.ts'

const uploadFields = {
  id: Identifier,
  /** The sender's file name, for display only; never used as a storage path. */
  filename: Type.String({ maxLength: uploadFilenameMaxLength }),
  sha256: Digest,
  expires_at: DateTime,
}

/** An uploaded script. Until it expires, drafts refer to its id as `startup_script_id` or `work_script_id`. */
export const ScriptUpload = Type.Object({
  ...uploadFields,
  byte_size: Type.Integer({ minimum: 0, maximum: scriptMaxBytes }),
})
export type ScriptUpload = Static<typeof ScriptUpload>

/** An uploaded bundle. Drafts refer to its id as `bundle_id`. It is removed at its expiry unless a version uses it. */
export const BundleUpload = Type.Object({
  ...uploadFields,
  byte_size: Type.Integer({ minimum: 1, maximum: bundleMaxBytes }),
  /** Files and links, without folders. */
  file_count: Type.Integer({ minimum: 1, maximum: bundleFilesMax }),
})
export type BundleUpload = Static<typeof BundleUpload>

/** The script of a draft that the file replaces. */
export const ScriptTarget = OneOf(['startup', 'work'])
export type ScriptTarget = Static<typeof ScriptTarget>
