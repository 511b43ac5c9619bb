import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { ChatroomId, DoorId, EnvironmentVersionId, UserId } from '../../identifiers.ts'
import {
  doorAliasesMax,
  doorCommandMaxLength,
  doorRuntimesMax,
  doorTimeoutMaxSeconds,
  nameMaxLength,
  timeoutMinSeconds,
} from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { DateTime, Nullable, OneOf, PlainText, Strict, VisibleText } from '../../schema.ts'
import { doorKinds } from './door-kind.ts'

export const languageNamePattern = '^[A-Za-z0-9][A-Za-z0-9.+#_-]*$'
const number = '(0|[1-9][0-9]{0,8})'
export const languageVersionPattern = `^${number}\\.${number}\\.${number}$`
const LanguageName = Type.String({ minLength: 1, maxLength: 64, pattern: languageNamePattern })
const Version = Type.String({ maxLength: 64, pattern: languageVersionPattern })
const Command = VisibleText({ maxLength: doorCommandMaxLength })

const language = about('Name of the language, as the platform sends it.', LanguageName, 'python')
const runCommand = about(
  'Shell text that runs the program. `$1` is the main file, the rest are the arguments of the request.',
  Command,
  'exec python3 "$@"',
)
const aliases = about(
  'Other names of the language. Those of a known language are added.',
  Type.Array(LanguageName, { maxItems: doorAliasesMax, uniqueItems: true }),
  ['py', 'python3'],
)
const version = about('Version that the platform is shown and selects by: three numbers.', Version, '3.12.0')

/** A language of a door, and where its programs run. */
export const DoorRuntime = Type.Object({
  language,
  version,
  aliases,
  environment_version_id: EnvironmentVersionId,
  run_command: runCommand,
  compile_command: about(
    'Shell text that compiles it first. `$@` are the files of the request. Null: nothing is compiled.',
    Nullable(Command),
    'gcc -O2 -o program "$@"',
  ),
})
export type DoorRuntime = Static<typeof DoorRuntime>

export const DoorRuntimeRequest = Strict({
  language,
  version: Type.Optional(version),
  aliases: Type.Optional(aliases),
  environment_version_id: EnvironmentVersionId,
  run_command: about(
    'As in the answer. May be left out for a language that the service knows.',
    Type.Optional(Command),
    'exec python3 "$@"',
  ),
  compile_command: about(
    'As in the answer. May be left out for a language that the service knows.',
    Type.Optional(Command),
    'gcc -O2 -o program "$@"',
  ),
})
export type DoorRuntimeRequest = Static<typeof DoorRuntimeRequest>

const name = about('Name of the door, unique in its room.', VisibleText({ maxLength: nameMaxLength }), 'Dify')
const kind = about('Platform whose requests the door understands.', OneOf(doorKinds), 'dify')
const network = about(
  'Whether programs may reach what runs of the room may reach. False: nothing.',
  Type.Boolean(),
  false,
)
const timeout = about(
  'Longest time that a program may run, in seconds.',
  Type.Integer({ minimum: timeoutMinSeconds, maximum: doorTimeoutMaxSeconds }),
  30,
)

export const DoorCreateRequest = Strict({
  name,
  kind,
  runtimes: about(
    'Languages. Two may have the same language with different versions.',
    Type.Array(DoorRuntimeRequest, { minItems: 1, maxItems: doorRuntimesMax }),
  ),
  network: about(
    'Whether programs may reach what runs of the room may reach. By default true for `dify`, whose requests ask for it, and false for others.',
    Type.Optional(Type.Boolean()),
    false,
  ),
  timeout_seconds: about(
    'Longest time that a program may run, in seconds. By default 30.',
    Type.Optional(Type.Integer({ minimum: timeoutMinSeconds, maximum: doorTimeoutMaxSeconds })),
    30,
  ),
})
export type DoorCreateRequest = Static<typeof DoorCreateRequest>

/** An address in the form that the code tool of a platform knows, for one room (an extension). */
export const Door = Type.Object({
  id: DoorId,
  chatroom_id: ChatroomId,
  name,
  kind,
  path: about(
    "Path below the service's address that the platform is given.",
    PlainText({ maxLength: 256 }),
    '/doors/dify',
  ),
  network,
  timeout_seconds: timeout,
  runtimes: about('Languages, in the order of the request.', Type.Array(DoorRuntime)),
  owner_user_id: about('Person who created it, as whom its runs are submitted.', UserId),
  created_at: about('When it was created.', DateTime),
  last_used_at: about('When it was used last, to the minute; null: never.', Nullable(DateTime), null),
})
export type Door = Static<typeof Door>

export const DoorWithKey = Type.Object({
  ...Door.properties,
  door_key: about(
    'Key that the platform sends. It opens this door and nothing else, and is shown only here.',
    Type.String(),
    'sbd_Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF',
  ),
})
export type DoorWithKey = Static<typeof DoorWithKey>

export const DoorList = listOf(Door)
export type DoorList = Static<typeof DoorList>
