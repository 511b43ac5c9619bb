import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { Digest } from '../../digest.ts'
import { ChatroomId, InputFileId } from '../../identifiers.ts'
import { exampleId } from '../../ids.ts'
import { inputFileMaxBytes, inputFileNameMaxBytes, mediaTypeMaxLength } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { DateTime, Strict } from '../../schema.ts'

/** A plain name: no folder, no control character, no mark that changes the direction of text. */
export const inputFileNamePattern =
  '^(?!\\.{1,2}$)[^/\\\\\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff]+$'
/** Its bytes are bounded too, which a schema cannot say. */
export const InputFileName = Type.String({
  minLength: 1,
  maxLength: inputFileNameMaxBytes,
  pattern: inputFileNamePattern,
})

/** Type and subtype without parameters. */
export const MediaType = Type.String({
  maxLength: mediaTypeMaxLength,
  pattern: '^[a-zA-Z0-9][a-zA-Z0-9!#$&^_.+-]*/[a-zA-Z0-9][a-zA-Z0-9!#$&^_.+-]*$',
})
export const defaultMediaType = 'application/octet-stream'

/** Query of an upload. The media type is that which the sender declares; nothing relies on it. */
export const InputFileUpload = Strict({
  name: about(
    'A plain file name of at most 255 bytes, for people; a run may name it otherwise.',
    InputFileName,
    'march.csv',
  ),
  media_type: about(
    'Media type by the sender; nothing relies on it. By default `application/octet-stream`.',
    Type.Optional(MediaType),
    'text/csv',
  ),
})
export type InputFileUpload = Static<typeof InputFileUpload>

/** An uploaded file of a room, for runs of that room. */
export const InputFile = Type.Object({
  id: InputFileId,
  chatroom_id: ChatroomId,
  name: about('Name by the sender.', Type.String(), 'march.csv'),
  media_type: about('Media type by the sender.', Type.String(), 'text/csv'),
  byte_size: about('Size in bytes.', Type.Integer({ minimum: 0, maximum: inputFileMaxBytes }), 48_213),
  digest: about('Digest of the bytes.', Digest),
  uploaded_by: about('Identifier of the person who uploaded it.', Type.String(), exampleId('user')),
  created_at: about('When it was uploaded.', DateTime),
  expires_at: about(
    'It is kept until then, and beyond that as long as the input of a run that took it.',
    DateTime,
  ),
})
export type InputFile = Static<typeof InputFile>

export const InputFileList = listOf(InputFile)
export type InputFileList = Static<typeof InputFileList>
