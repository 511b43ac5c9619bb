import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { Digest } from '../../digest.ts'
import { sessionPathMaxBytes } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { Count, Nullable, OneOf, Strict } from '../../schema.ts'

const part =
  '(?!\\.{1,2}(?:/|$))[^/\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff]+'
/**
 * A path below the session: no empty part, `.` or `..`, no slash at either end, no control character, no mark that changes the
 * direction of text. Its bytes are bounded too, which a schema cannot say.
 */
export const sessionPathPattern = `^${part}(?:/${part})*$`
const SessionPath = Type.String({ minLength: 1, maxLength: sessionPathMaxBytes, pattern: sessionPathPattern })

const pathText = 'Path below `/workspace/session`, without a slash at either end.'
const Path = about(pathText, SessionPath, 'data/sales.csv')
const folderText = 'Path of a folder; absent: the whole session.'
const Folder = about(folderText, Type.Optional(SessionPath), 'data')

export const SessionPathQuery = Strict({ path: Path })
export const SessionFolderQuery = Strict({ path: Folder })
export const SessionFolderRequest = Strict({ path: Path })
export const SessionMoveRequest = Strict({
  from: about('Path of the file, folder or link that is moved.', SessionPath, 'draft.csv'),
  to: about(
    'Its new path, where nothing may be yet. Missing folders are created.',
    SessionPath,
    'data/final.csv',
  ),
})

/** Depths of a list of files. */
export const listDepths = ['one', 'all'] as const

/** A file, a folder or a link in a session. */
export const SessionFile = Type.Object({
  path: Path,
  kind: about('`link`: a symbolic link, which no request follows.', OneOf(['file', 'folder', 'link'])),
  byte_size: about('Bytes of a file; 0 for a folder or a link.', Count, 48_213),
  is_executable: about('Whether a file may be executed by its owner.', Type.Boolean(), false),
  digest: about('Digest of the bytes of a file; otherwise null.', Nullable(Digest)),
  target: about('Target of a link, as the program wrote it; otherwise null.', Nullable(Type.String()), null),
})
export type SessionFile = Static<typeof SessionFile>

export const SessionFileList = listOf(SessionFile)
export type SessionFileList = Static<typeof SessionFileList>
