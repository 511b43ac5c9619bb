import { doorKinds } from '@sandbox-jobs/contract/resources/doors/door-kind.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { type Command, Option } from 'commander'
import { repeated } from '../../args/repeated.ts'
import { serviceCommand } from '../../args/service-command.ts'
import { wholeNumber } from '../../args/whole-number.ts'
import { CliError, exitCodes } from '../../failure.ts'
import { findReadyVersion } from '../../lookup/find-ready-version.ts'
import { findRoom } from '../../lookup/find-room.ts'
import { pickNamed } from '../../lookup/pick-named.ts'
import { table } from '../../output/table.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { type Session, withSession } from '../../session/session.ts'

interface RoomOptions extends ConnectionOptions {
  room: string
}

const doorCommand = (name: string, description: string): Command =>
  serviceCommand(name).description(description).requiredOption('--room <room>', 'room by id or name')

export const doorListCommand = (): Command =>
  doorCommand('list', 'list the doors of a room').action((options: RoomOptions) =>
    withSession(options, async (session) => {
      const items = await doorsOf(session, await findRoom(session, options.room))
      const rows = items.map(({ id, kind, runtimes, last_used_at, name }) => [
        id,
        kind,
        runtimes.map(({ language }) => language).join(','),
        last_used_at ?? 'never',
        name,
      ])
      session.report.result(table(['ID', 'KIND', 'LANGUAGES', 'USED', 'NAME'], rows), { items })
    }),
  )

const doorsOf = async ({ client }: Session, cid: string) =>
  (await client.call(allRoutes.listDoors, { params: { cid } })).items

interface AddOptions extends RoomOptions {
  kind: (typeof doorKinds)[number]
  language: string[]
  network?: boolean
  timeout?: number
}

export const doorAddCommand = (): Command =>
  doorCommand('add', 'create a door, and print its key once')
    .argument('<name>', 'name of the door')
    .addOption(new Option('--kind <kind>', 'platform that calls it').choices(doorKinds).makeOptionMandatory())
    .requiredOption(
      '--language <language=environment>',
      'NAME=ENVIRONMENT or NAME:1.2.3=ENVIRONMENT@VERSION; repeatable',
      repeated,
    )
    .option('--network', 'programs may reach what runs of the room may reach')
    .option('--no-network', 'programs reach nothing')
    .option('--timeout <seconds>', 'longest time that a program may run (default: 30)', wholeNumber)
    .addHelpText(
      'after',
      '\nOnly standard output has the key. docs/doors.md says where each platform takes it.',
    )
    .action((name: string, options: AddOptions) =>
      withSession(options, (session) => add(session, name, options)),
    )

async function add(session: Session, name: string, options: AddOptions): Promise<void> {
  const cid = await findRoom(session, options.room)
  const runtimes = []
  for (const text of options.language) runtimes.push(await runtimeOf(session, text))
  const door = await session.client.call(allRoutes.createDoor, {
    params: { cid },
    body: {
      name,
      kind: options.kind,
      runtimes,
      ...(options.network !== undefined && { network: options.network }),
      ...(options.timeout !== undefined && { timeout_seconds: options.timeout }),
    },
  })
  session.report.progress(`${door.id} is at ${door.path}; this is shown once:`)
  session.report.result(`${door.door_key}\n`, door)
}

const languagePattern = /^(?<language>[^=:]+)(?::(?<version>[^=]+))?=(?<environment>.+)$/

async function runtimeOf(session: Session, text: string) {
  const { language, version, environment } = languagePattern.exec(text)?.groups ?? {}
  if (language === undefined || environment === undefined)
    throw new CliError(`${text} is not a language with its environment.`, {
      hint: 'Use NAME=ENVIRONMENT, such as python=python-3; sandbox env list shows the environments.',
      code: 'cli_usage',
      exitCode: exitCodes.usage,
    })
  return {
    language,
    ...(version !== undefined && { version }),
    environment_version_id: await findReadyVersion(session, environment),
  }
}

export const doorRemoveCommand = (): Command =>
  doorCommand('remove', 'remove a door with its key')
    .argument('<door>', 'door by id or name')
    .action((wanted: string, options: RoomOptions) =>
      withSession(options, async (session) => {
        const cid = await findRoom(session, options.room)
        const { id: did } = pickNamed('door', wanted, await doorsOf(session, cid))
        const door = await session.client.call(allRoutes.deleteDoor, { params: { cid, did } })
        session.report.result(`${door.id} is removed.\n`, door)
      }),
    )
