import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { ChatroomId, RunId, SessionId } from '../../identifiers.ts'
import { exampleId } from '../../ids.ts'
import { nameMaxLength, sessionBytesMin, sessionKeepHoursDefault, sessionKeepHoursMax } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { Count, DateTime, Nullable, Ordinal, Strict, VisibleText } from '../../schema.ts'

const SizeLimit = Type.Integer({ minimum: sessionBytesMin, maximum: Number.MAX_SAFE_INTEGER })
const KeepHours = Type.Integer({ minimum: 1, maximum: sessionKeepHoursMax, default: sessionKeepHoursDefault })
const forkText = 'A session of the caller in the same room, whose files the new one starts with.'

export const SessionCreateRequest = Strict({
  name: about(
    'Name for people; need not be unique.',
    Type.Optional(VisibleText({ maxLength: nameMaxLength })),
    'Sales analysis',
  ),
  size_limit_bytes: about(
    'Bytes that its files may have together. By default, and at most, what the operator has set.',
    Type.Optional(SizeLimit),
    268_435_456,
  ),
  keep_hours: about('Hours that it is kept after its last use.', Type.Optional(KeepHours), 24),
  fork_of: about(forkText, Type.Optional(SessionId)),
})
export type SessionCreateRequest = Static<typeof SessionCreateRequest>

/** Files that stay between runs (contract part 3, D12). */
export const Session = Type.Object({
  id: SessionId,
  chatroom_id: ChatroomId,
  name: about('Name for people.', Nullable(Type.String()), 'Sales analysis'),
  created_by: about('The person whom it belongs to.', Type.String(), exampleId('user')),
  byte_size: about('Bytes of its files.', Count, 48_213),
  file_count: about('Number of its files, folders and links.', Count, 12),
  size_limit_bytes: about('Bytes that its files may have together.', SizeLimit, 268_435_456),
  revision: about('Rises with each change of its files.', Ordinal, 3),
  run_id: about('The run that holds it, queued or running; null if none does.', Nullable(RunId), null),
  created_at: about('When it was created.', DateTime),
  last_used_at: about('When its files were changed, or a run that held it ended.', DateTime),
  keep_hours: about('Hours that it is kept after its last use.', KeepHours, 720),
  expires_at: about('When it is deleted, unless it is used before.', DateTime),
})
export type Session = Static<typeof Session>

export const SessionList = listOf(Session)
export type SessionList = Static<typeof SessionList>

/** The session of a run. */
export const RunSessionRequest = Strict({
  session_id: SessionId,
  when_in_use: about(
    '`wait`: while another run holds the session, the run stays in the queue with the reason `session_in_use`. `refuse`: it is refused.',
    Type.Optional(Type.Enum(['wait', 'refuse'], { type: 'string', default: 'wait' })),
    'wait',
  ),
})
export type RunSessionRequest = Static<typeof RunSessionRequest>
